package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.Failures;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many who wait for a short while, on one name that is never free for long. Virtual time. */
class HotNameTest {
    private static final Duration WAIT = Duration.ofMillis(10);
    private static final Duration HOLD = Duration.ofMillis(4);
    private static final Duration STORM = SearchRun.LONG ? Duration.ofMinutes(3) : Duration.ofSeconds(3);

    private final ManualTime time = new ManualTime();
    private int served;
    private int busy;
    private int unavailable;

    @ParameterizedTest(name = "{0} processes, cohort {1}, an answer takes {2} ms")
    @CsvSource({"1, 1, 1", "1, 1, 3", "1, 4, 3", "1, 16, 2", "2, 1, 2", "2, 16, 3"})
    void nobodyIsToldThatAHealthyStoreIsUnavailable(int processes, int cohort, int answerMillis) {
        // Eight callers with ten milliseconds of patience, each holding for four. Up to a quarter of those who gave up
        // used to be told "unavailable": they had given up while the claim for the next tenure had no answer yet.
        InMemoryBackend memory = new InMemoryBackend();
        Duration answer = Duration.ofMillis(answerMillis);
        for (int p = 0; p < processes; p++) {
            Holdfast holdfast = Holdfast.builder(new SlowBackend(p == 0 ? memory : memory.another(), answer))
                    .environment(time)
                    .cohort(cohort)
                    .closeGrace(Duration.ZERO)
                    .build();
            for (int caller = 0; caller < 8; caller++) {
                time.schedule(Duration.ofMillis(caller).toNanos(), () -> ask(holdfast.lock("hot")));
            }
        }
        time.advance(STORM);
        assertThat(unavailable)
                .as("told 'unavailable', beside %s busy and %s served", busy, served)
                .isZero();
        assertThat(busy).isGreaterThan(100);
        assertThat(served).isGreaterThan(100);
    }

    private void ask(DistributedLock lock) {
        var unused = lock.acquireAsync(WAIT).whenComplete((lease, failure) -> {
            if (lease != null) {
                served++;
                time.schedule(HOLD.toNanos(), () -> {
                    var unusedToo = lease.releaseAsync();
                    askSoon(lock);
                });
                return;
            }
            if (Failures.unwrap(failure) instanceof LockTimeoutException) {
                busy++;
            } else {
                unavailable++;
            }
            askSoon(lock);
        });
    }

    /** A caller does something else in between, for a time that differs from call to call. */
    private void askSoon(DistributedLock lock) {
        time.schedule(1 + time.random().nextInt(3_000_000), () -> ask(lock));
    }
}
