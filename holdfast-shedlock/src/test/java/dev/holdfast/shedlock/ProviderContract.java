package dev.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;
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

    private Holdfast holdfast;
    private Holdfast observer;
    private HoldfastLockProvider provider;

    /** A client of a store that holds nothing yet; a second call gives another client of the same store. */
    abstract LockBackend newClient() throws Exception;

    @BeforeEach
    void open() throws Exception {
        holdfast = Holdfast.builder(newClient()).closeGrace(Duration.ZERO).build();
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
        HoldfastLockProvider brief = provider.withLease(Duration.ofSeconds(5));
        assertThat(brief.lock(job(Duration.ofHours(1), Duration.ZERO))).isPresent();
        Thread.sleep(6000);
        assertThat(state("job")).isPresent();
        assertThat(state("job").orElseThrow().remaining()).isLessThan(MINUTE);
    }

    @Test
    void whatWasKeptAtLeastOutlivesTheProcessWhereTheStoreCanKeepIt() {
        SimpleLock lock = provider.lock(job(MINUTE, Duration.ofSeconds(40))).orElseThrow();
        lock.unlock();
        assertLocked("job");
        if (holdfast.guarantees().heldAtLeast()) {
            holdfast.close();
            assertThat(state("job").orElseThrow().remaining())
                    .isBetween(Duration.ofSeconds(31), Duration.ofSeconds(40));
        }
    }

    @Test
    void anExtensionMovesBothEnds() {
        SimpleLock first =
                provider.lock(job(Duration.ofSeconds(5), Duration.ZERO)).orElseThrow();
        SimpleLock second = first.extend(MINUTE, Duration.ofSeconds(30)).orElseThrow();
        second.unlock();
        assertLocked("job");
    }
}
