package dev.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.LockState;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** ShedLock's own kit on one store of ours, and what the kit does not ask. */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
abstract class ProviderContract extends AbstractExtensibleLockProviderIntegrationTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** As in ShedLock's own tests. */
    private static final Duration SHORT = Duration.ofSeconds(2);
    /** Of clocks that differ, and of what stores keep. */
    private static final Duration ROUNDING = Duration.ofMillis(50);

    private final AtomicInteger renewals = new AtomicInteger();
    private Holdfast holdfast;
    private Holdfast observer;
    private HoldfastLockProvider provider;

    /** A client of a store that holds nothing yet; a second call gives another client of the same store. */
    abstract LockBackend newClient() throws Exception;

    @BeforeEach
    void open() throws Exception {
        holdfast = Holdfast.builder(newClient())
                .closeGrace(Duration.ZERO)
                .listener(new LockListener() {
                    @Override
                    public void renewed(LockKey lock, FencingToken token) {
                        renewals.incrementAndGet();
                    }
                })
                .build();
        observer = Holdfast.over(newClient());
        provider = new HoldfastLockProvider(holdfast);
    }

    @AfterEach
    void close() {
        holdfast.close();
        observer.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return provider;
    }

    @Override
    protected void assertUnlocked(String lockName) {
        // A job that has used up its time is ended by its own process: a moment later, on a busy machine.
        await().atMost(MINUTE).until(() -> state(lockName).isEmpty());
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(state(lockName)).isPresent();
    }

    private Optional<LockState> state(String name) {
        try {
            return observer.inspect(name);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static LockConfiguration job(Duration atMost, Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), "job", atMost, atLeast);
    }

    @Test
    void aJobThatTakesLongIsRenewedAndACrashedNodeWouldKeepItForOneLease() throws Exception {
        // Not after lockAtMostFor, which is an hour here.
        HoldfastLockProvider brief = provider.withLease(Duration.ofSeconds(9));
        assertThat(brief.lock(job(Duration.ofHours(1), Duration.ZERO))).isPresent();
        await().atMost(MINUTE).until(() -> renewals.get() > 0);
        assertThat(state("job")).isPresent();
        assertThat(state("job").orElseThrow().remaining()).isLessThan(MINUTE);
    }

    @Test
    void whatWasKeptAtLeastOutlivesTheProcessWhereTheStoreCanKeepIt() {
        SimpleLock lock =
                provider.lock(job(Duration.ofHours(1), MINUTE.multipliedBy(10))).orElseThrow();
        lock.unlock();
        assertLocked("job");
        if (holdfast.guarantees().heldAtLeast()) {
            holdfast.close();
            assertThat(state("job").orElseThrow().remaining())
                    .isBetween(MINUTE.multipliedBy(5), MINUTE.multipliedBy(10));
        }
    }

    @Test
    void anExtensionMovesBothEnds() {
        SimpleLock first =
                provider.lock(job(Duration.ofSeconds(20), Duration.ZERO)).orElseThrow();
        SimpleLock second = first.extend(MINUTE, Duration.ofSeconds(30)).orElseThrow();
        second.unlock();
        assertLocked("job");
    }

    // ---- of ShedLock's own tests those that a machine fails which stands still for two seconds

    @Test
    @Override
    public void shouldBeAbleToExtendLock() {
        requireExtended(1);
    }

    @Test
    @Override
    public void shouldBeAbleToExtendMultipleTimes() {
        requireExtended(3);
    }

    private void requireExtended(int times) {
        Duration first = SHORT;
        while (!extended(LOCK_NAME1 + " for " + first, first, times)) {
            first = first.multipliedBy(2);
            assertThat(first).as("a time that is long enough for this machine").isLessThan(MINUTE);
        }
    }

    /** Returns false if the job's time was over before it could be extended. */
    private boolean extended(String name, Duration first, int times) {
        long began = System.nanoTime();
        Optional<SimpleLock> lock = provider.lock(lockConfig(name, first, Duration.ZERO));
        assertThat(lock).isPresent();
        boolean locked = state(name).isPresent();
        for (int i = 0; i < times; i++) {
            lock = lock.flatMap(each -> each.extend(first.multipliedBy(10), Duration.ZERO));
        }
        if ((!locked || lock.isEmpty()) && System.nanoTime() - began >= first.toNanos()) {
            return false;
        }
        assertThat(locked).isTrue();
        assertThat(lock).isPresent();
        sleepFor(first);
        assertLocked(name);
        lock.get().unlock();
        assertUnlocked(name);
        return true;
    }

    @Test
    @Override
    public void shouldLockAtLeastFor() {
        Duration atLeast = SHORT;
        while (!lockedAtLeast(LOCK_NAME1 + " for " + atLeast, atLeast)) {
            atLeast = atLeast.multipliedBy(2);
            assertThat(atLeast)
                    .as("a time that is long enough for this machine")
                    .isLessThan(MINUTE);
        }
    }

    /** Returns false if the time was over before it could be seen that the lock stays taken. */
    private boolean lockedAtLeast(String name, Duration atLeast) {
        long began = System.nanoTime();
        provider.lock(lockConfig(name, atLeast.multipliedBy(2), atLeast))
                .orElseThrow()
                .unlock();
        Optional<SimpleLock> early = provider.lock(lockConfig(name));
        if (early.isPresent() && System.nanoTime() - began >= atLeast.toNanos()) {
            return false;
        }
        assertThat(early).isEmpty();
        SimpleLock next = await().atMost(MINUTE)
                .until(() -> provider.lock(lockConfig(name)), Optional::isPresent)
                .orElseThrow();
        assertThat(System.nanoTime() - began)
                .isGreaterThanOrEqualTo(atLeast.minus(ROUNDING).toNanos());
        next.unlock();
        return true;
    }
}
