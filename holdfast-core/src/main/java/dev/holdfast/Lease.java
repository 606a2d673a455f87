package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The right to act as the only holder of a lock, for a while; or as the only holder of one slot of a semaphore, or as one of the
 * readers of a read-write lock. A lease belongs to whoever has the object, not to a thread:
 * pass it on, close it from anywhere. Safe for use by many threads.
 *
 * <p>While it is open Holdfast renews it (unless it is {@linkplain Acquirable#fixed fixed}). A lease can end
 * without you: a long pause, an unreachable backend, an operator. {@link #isValid} and {@link #onLost} tell as soon as
 * this process can know, which may be too late; only a resource that checks the {@link #token} always notices in time.
 */
public sealed interface Lease extends AutoCloseable permits TenureLease {
    /** The name of the lock. */
    String name();

    /**
     * Which slot of a semaphore this is: from 0 to the number of permits - 1, and nobody else's at the same time. Always 0 for a
     * lock or a read-write lock.
     */
    int slot();

    /** The fencing token of this lease. Never changes, and stays readable after the lease has ended. */
    FencingToken token();

    /** How many nodes of the store had granted it when it was acquired; one of one where the store is one node. */
    Votes votes();

    /** How long this lease may be trusted if it is not renewed again; zero once it has ended. Does no I/O. */
    Duration remaining();

    /** Whether this lease may still be trusted, by this process's own clock. Does no I/O. */
    boolean isValid();

    /**
     * Throws unless the lease can be trusted for at least this much longer. Call it before a step that must not be
     * caught in the middle by the end of the lease. Does no I/O and does not renew.
     *
     * @throws LeaseLostException if the lease has ended, or will end sooner
     * @throws IllegalStateException if the lease was closed
     */
    void ensureValid(Duration minimum);

    /**
     * Calls back once if the lease ends without being closed: at the moment its validity ends, not when somebody notices.
     * Also if it is closed after that, before the end was noticed. Runs on the executor for user code; at once if the lease
     * has been lost already, never if it was closed in time.
     */
    void onLost(Consumer<Loss> callback);

    /**
     * Releases the lock without waiting for the backend. The future completes once the backend has confirmed; if it cannot
     * be reached, exceptionally with {@link LockUnavailableException}: then the release is repeated in the background, and
     * the lock expires by itself at the latest after one lease. May be called from any thread, any number of times.
     */
    CompletableFuture<Void> releaseAsync();

    /**
     * Ends this lease now, and lets the store keep the lock for that long from now, also if this process ends meanwhile: as a
     * lock that is {@linkplain Acquirable#heldAtLeast held at least} for a time which is known only at its end. If both
     * are given, the later end counts. Otherwise as {@link #releaseAsync()}; of several calls the first one counts.
     *
     * @throws UnsupportedOperationException if the backend cannot do this: see {@link Guarantees#heldAtLeast}
     */
    CompletableFuture<Void> releaseAsync(Duration keep);

    /**
     * Releases the lock and waits for the backend to confirm, at most until the lease would have ended by itself. Returns
     * at once if the lock goes to a waiter in this process. Does not throw: a lease that was lost, or a release that could
     * not be confirmed, is reported to the {@link LockListener} and the log. An interrupt is kept and does not stop it.
     * May be called from any thread, any number of times.
     */
    @Override
    void close();
}
