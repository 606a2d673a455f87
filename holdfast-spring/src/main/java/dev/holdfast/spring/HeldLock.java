package dev.holdfast.spring;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lease and how many need it: the call that acquired it, calls below that joined it, a transaction that must complete first.
 * The last one gives it back. Safe for use by many threads: results complete on threads of their own.
 */
final class HeldLock {
    private final Lease lease;
    private final AtomicInteger users = new AtomicInteger(1);

    HeldLock(Lease lease) {
        this.lease = lease;
    }

    Lease lease() {
        return lease;
    }

    /** False if it has been given back. Never goes up from zero, so a lease that is being closed is not used again. */
    boolean join() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Call it once for the acquisition and once for each join. Blocks if this is the last. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            lease.close();
        }
    }

    /** As {@link #leave}, without blocking. Completes when the store has answered, or could not be reached. */
    CompletableFuture<Void> leaveAsync() {
        return users.decrementAndGet() == 0
                ? lease.releaseAsync().exceptionally(unreachable -> null)
                : CompletableFuture.completedFuture(null);
    }

    /** Throws LeaseLostException if it ended by itself. A body may have closed it, which is no loss. */
    void ensureNotLost() {
        if (!isClosed()) {
            lease.ensureValid(Duration.ZERO);
        }
    }

    /** Whether somebody who was given the lease has closed it. */
    boolean isClosed() {
        if (lease.isValid()) {
            return false;
        }
        try {
            lease.ensureValid(Duration.ZERO);
            return false;
        } catch (LeaseLostException lost) {
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }
}
