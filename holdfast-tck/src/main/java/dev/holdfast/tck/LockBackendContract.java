package dev.holdfast.tck;

import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;

/**
 * What every backend has to do, as tests. A backend subclasses this, whole:
 *
 * <pre>{@code
 * class RedisBackendIT extends LockBackendContract {
 *     @RegisterExtension static final RedisServer redis = RedisServer.embedded();
 *
 *     @Override protected LockBackend newClient() { return new Clients().connect(redis.url()); }
 *
 *     @Override protected Optional<OtherProcess> otherProcess() {
 *         return Optional.of(new OtherProcess(Clients.class, redis.url()));
 *     }
 *
 *     public static final class Clients implements ClientFactory {
 *         @Override public LockBackend connect(String url) { return RedisBackend.connect(url); }
 *     }
 * }
 * }</pre>
 *
 * <p>Every test uses names of its own, so the store need not be emptied in between. Capabilities are taken from {@link
 * LockBackend#guarantees} and asserted both ways: what is declared works, what is not declared does not happen. Nothing is
 * skipped.
 */
@Timeout(300)
public abstract class LockBackendContract
        implements OnBench,
                CapabilityContract,
                ClosingContract,
                CopiedProcessContract,
                ElectionContract,
                ExclusionContract,
                ExpiryContract,
                FailoverContract,
                InspectionContract,
                KindContract,
                MinimumHoldContract,
                MultiLockContract,
                NameContract,
                PermitProcessContract,
                ProcessContract,
                QueueContract,
                ReadWriteLockContract,
                ReadWriteQueueContract,
                ReadWriteUserContract,
                RenewalContract,
                ResendContract,
                SemaphoreContract,
                SemaphoreQueueContract,
                SemaphoreUserContract,
                TokenContract,
                UserContract,
                WithdrawContract {
    /** For subclasses. */
    protected LockBackendContract() {}

    /** A new client of the store under test, always the same store. The kit opens and closes it. */
    protected abstract LockBackend newClient();

    /**
     * How a separate JVM reaches the same store. Empty only if no other process can: then the backend's guarantees and its
     * findings have to say so.
     */
    protected abstract Optional<OtherProcess> otherProcess();

    /** How the kit plays a failover. Empty only where the guarantees declare none. */
    protected Optional<FailoverControl> failover() {
        return Optional.empty();
    }

    /** The lease in tests that wait for its end. Longer for a store with a coarse clock or slow answers. */
    protected Duration lease() {
        return Duration.ofMillis(500);
    }

    /**
     * How late, at the median, a waiter may be served after a dead holder's lease has ended. For how long the machine stood
     * still meanwhile does not count.
     */
    protected Duration soon() {
        return Duration.ofSeconds(1);
    }

    /** How long a test waits for something that has to happen. */
    Duration patience() {
        return Duration.ofSeconds(30);
    }
}
