package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HoldfastMetricsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final HoldfastMetrics metrics =
            HoldfastMetrics.builder(registry).tags(Tags.of("store", "memory")).build();
    private final Holdfast holdfast = Holdfast.builder(backend)
            .environment(time)
            .closeGrace(Duration.ZERO)
            .listener(metrics)
            .build();
    private final Holdfast rival = Holdfast.builder(backend.another())
            .environment(time)
            .closeGrace(Duration.ZERO)
            .build();

    private static Lease held(Holdfast by, String name) {
        return by.lock(name).acquireAsync().join();
    }

    private Timer wait(String lock, String outcome) {
        return timer("holdfast.lock.wait", lock, outcome);
    }

    private Timer timer(String name, String lock, String outcome) {
        return registry.get(name)
                .tags("store", "memory", "lock", lock, "outcome", outcome)
                .timer();
    }

    private double renewals(String outcome) {
        return registry.get("holdfast.lock.renewals")
                .tags("lock", "order", "outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void aWaitIsTimedByHowItEnded() throws Exception {
        Lease theirs = held(rival, "order:1");
        CompletableFuture<Lease> served = holdfast.lock("order:1").acquireAsync();
        time.advance(SECOND.multipliedBy(2));
        theirs.close();
        served.join().close();
        held(rival, "order:2");
        holdfast.lock("order:2").acquireAsync(SECOND.multipliedBy(3));
        time.advance(SECOND.multipliedBy(3));
        assertThat(holdfast.lock("order:2").tryAcquire()).isEmpty();

        assertThat(wait("order", "acquired").totalTime(TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(wait("order", "acquired").count()).isEqualTo(1);
        assertThat(wait("order", "gave_up").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(wait("order", "refused").count()).isEqualTo(1);
        assertThat(wait("order", "unavailable").count()).isZero();
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotCountedAsBusy() {
        backend.controls().disconnect();
        holdfast.lock("order:1").acquireAsync(SECOND);
        time.advance(SECOND);
        assertThat(wait("order", "unavailable").count()).isEqualTo(1);
        assertThat(wait("order", "gave_up").count()).isZero();
    }

    @Test
    void aLeaseIsTimedByHowItEnded() throws Exception {
        Lease released = held(holdfast, "order:1");
        time.advance(SECOND.multipliedBy(4));
        released.close();
        holdfast.lock("order:2").withLease(SECOND).fixed().acquireAsync().join();
        time.advance(SECOND);
        held(holdfast, "order:3");
        rival.breakLock(rival.inspect("order:3").orElseThrow());
        time.advance(SECOND.multipliedBy(11));

        assertThat(timer("holdfast.lock.held", "order", "released").totalTime(TimeUnit.SECONDS))
                .isEqualTo(4);
        assertThat(timer("holdfast.lock.held", "order", "expired").count()).isEqualTo(1);
        assertThat(timer("holdfast.lock.held", "order", "lost").count()).isEqualTo(1);
    }

    @Test
    void renewalsAreCounted() {
        held(holdfast, "order:1");
        time.advance(SECOND.multipliedBy(11));
        assertThat(renewals("renewed")).isEqualTo(1);
        backend.controls().disconnect();
        time.advance(SECOND.multipliedBy(10));
        assertThat(renewals("unanswered")).isPositive();
    }

    @Test
    void whatAnOperatorBrokeIsCounted() throws Exception {
        held(rival, "order:1");
        holdfast.breakLock(holdfast.inspect("order:1").orElseThrow());
        assertThat(registry.get("holdfast.locks.broken")
                        .tags("lock", "order")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void noticesAreCountedBySeverity() {
        metrics.notice(dev.holdfast.BackendNotice.danger("a server", "it forgets"));
        assertThat(registry.get("holdfast.backend.notices")
                        .tags("severity", "danger", "store", "memory")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void heldAndWaitingAreReadFromTheHoldfast() {
        metrics.watch(holdfast);
        Lease first = held(holdfast, "order:1");
        CompletableFuture<Lease> second = holdfast.lock("order:1").acquireAsync();
        assertThat(gauge("holdfast.locks.held")).isEqualTo(1);
        assertThat(gauge("holdfast.locks.waiting")).isEqualTo(1);
        first.close();
        second.join().close();
        assertThat(gauge("holdfast.locks.held")).isZero();
        assertThat(gauge("holdfast.locks.waiting")).isZero();
    }

    private double gauge(String name) {
        return registry.get(name).tags("store", "memory").gauge().value();
    }

    @Test
    void aNameIsNeverATagAndTagsAreBounded() {
        for (int i = 0; i < 500; i++) {
            held(holdfast, "customer " + i).close();
            held(holdfast, "kind" + i + ":1").close();
        }
        var tags = registry.getMeters().stream()
                .map(Meter::getId)
                .map(id -> id.getTag("lock"))
                .collect(Collectors.toSet());
        assertThat(tags).hasSize(LockTags.MOST + 1).contains(LockTags.OTHER, "kind0");
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .extracting(Tag::getValue)
                        .noneMatch(value -> value.startsWith("customer")));
    }

    @Test
    void kindsOfOneNameAreCountedApart() throws Exception {
        // A lock, a permit and a reader, all of one name.
        held(holdfast, "order:1").close();
        holdfast.semaphore("order:1", 2).acquireAsync().join().close();
        holdfast.readWriteLock("order:1").read().acquireAsync().join();
        rival.breakLock(rival.inspect(LockKey.readWriteLock("order:1")).get(0));
        time.advance(SECOND.multipliedBy(11));
        assertThat(held("lock", "released")).isEqualTo(1);
        assertThat(held("semaphore", "released")).isEqualTo(1);
        assertThat(held("read-write-lock", "released")).isZero();
        assertThat(held("read-write-lock", "lost")).isEqualTo(1);
        assertThat(held("lock", "lost")).isZero();
    }

    private long held(String kind, String outcome) {
        return registry.get("holdfast.lock.held")
                .tags("kind", kind, "lock", "order", "outcome", outcome)
                .timer()
                .count();
    }

    @Test
    void aFunctionOfTheUsersMakesTheTag() {
        HoldfastMetrics own = HoldfastMetrics.builder(registry)
                .lockTag(name -> name.startsWith("a") ? "first" : " ")
                .build();
        own.refused(LockKey.lock("abc"));
        own.refused(LockKey.lock("xyz"));
        assertThat(registry.get("holdfast.lock.wait")
                        .tags("lock", "first", "outcome", "refused")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("holdfast.lock.wait")
                        .tags("lock", LockTags.OTHER, "outcome", "refused")
                        .timer()
                        .count())
                .isEqualTo(1);
    }
}
