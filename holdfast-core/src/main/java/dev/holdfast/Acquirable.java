package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A name with options, and the ways to acquire it. It holds nothing itself; acquiring it gives a {@link Lease}. Immutable and
 * cheap: make one where you need it, or keep it. Each option returns another one and leaves this as it is. Safe for use by many
 * threads.
 *
 * <p>All blocking methods can be interrupted: they then withdraw, hold nothing, and throw {@link InterruptedException}.
 * All may throw {@link LockUnavailableException} (the backend cannot be reached, which is not the same as busy) and {@link
 * HoldfastClosedException}.
 *
 * @param <H> what the options return
 */
public abstract sealed class Acquirable<H extends Acquirable<H>> permits DistributedLock, DistributedSemaphore {
    final Holdfast holdfast;
    final Engine engine;
    final String key;
    final Terms terms;

    Acquirable(Holdfast holdfast, Engine engine, String key, Terms terms) {
        this.holdfast = holdfast;
        this.engine = engine;
        this.key = key;
        this.terms = terms;
    }

    /** The name, as given. */
    public String name() {
        return LockKey.nameIn(key);
    }

    // ---- options

    /**
     * How long the backend keeps the lock if this process dies. An open lease is renewed every third of this time.
     *
     * @throws IllegalArgumentException if it is shorter than 10 ms or longer than the longest accepted
     */
    @CheckReturnValue
    public H withLease(Duration lease) {
        Durations.requireLease(lease, engine.settings.maxLease());
        return with(terms.withLease(lease));
    }

    /** Leases are not renewed: each ends after its duration, whether its holder is done or not. */
    @CheckReturnValue
    public H fixed() {
        return with(terms.fixed());
    }

    /** Ends each lease after this time, however often it was renewed: it expires, and the lock goes to the next. */
    @CheckReturnValue
    public H heldAtMost(Duration bound) {
        Durations.requirePositive(bound, "heldAtMost");
        return with(terms.withBound(bound));
    }

    /**
     * Keeps the lock taken for at least this time from the moment it was acquired. A lease that is closed earlier ends, and
     * the store keeps the lock for the rest of the time, also if this process ends meanwhile; closing does not wait for it.
     * For jobs that several machines start by their own clocks: a machine whose clock is late finds the lock still taken and
     * does not run the job a second time. May be longer than the longest lease. If this process dies before it has closed the lease, the lock is free after one lease,
     * and a lease that was lost keeps nothing.
     *
     * @throws UnsupportedOperationException if the backend cannot do this: see {@link Guarantees#heldAtLeast}
     * @throws IllegalArgumentException if it is longer than {@link #heldAtMost}, or than a year
     */
    @CheckReturnValue
    public H heldAtLeast(Duration minimum) {
        Durations.requirePositive(minimum, "heldAtLeast");
        return with(terms.withMinimum(minimum, engine.backend.guarantees(), LockKey.describeCapitalized(key)));
    }

    /** A text for operators that says what the lock is held for. At most 200 characters, no control characters. */
    @CheckReturnValue
    public H describedAs(String description) {
        return with(terms.describedAs(Holdfast.requireDescription(description)));
    }

    abstract H with(Terms other);

    // ---- acquiring

    /**
     * Waits until this caller holds the lock. Gives up only if the backend stays unreachable for longer than {@link
     * Holdfast.Builder#unavailableAfter}.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Lease acquire() throws InterruptedException {
        return leaseOrThrow(await(Alarm.NEVER));
    }

    /**
     * Waits until this caller holds the lock, at most that long.
     *
     * @throws LockTimeoutException if it was busy all the time; nothing is held
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Lease acquire(Duration maxWait) throws InterruptedException {
        return leaseOrThrow(await(nanos(maxWait)));
    }

    /**
     * Asks once. Empty means busy: somebody holds the lock, or waits for it already. Blocks only until the backend has
     * answered.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Optional<Lease> tryAcquire() throws InterruptedException {
        return leaseOrEmpty(await(0));
    }

    /**
     * Waits until this caller holds the lock, at most that long. Empty means that it was busy all the time.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException {
        return leaseOrEmpty(await(nanos(maxWait)));
    }

    /**
     * As {@link #acquire()}, without blocking. Cancelling the returned future withdraws from the queue, and gives back a
     * lease that was on its way. Cancelling a stage derived from it does neither. Completes on the executor for user code.
     */
    @CheckReturnValue
    public CompletableFuture<Lease> acquireAsync() {
        return async(Alarm.NEVER);
    }

    /** As {@link #acquire(Duration)}, without blocking; see {@link #acquireAsync()}. A wait of zero asks once. */
    @CheckReturnValue
    public CompletableFuture<Lease> acquireAsync(Duration maxWait) {
        return async(nanos(maxWait));
    }

    // ---- running

    /**
     * Waits until this caller holds the lock, runs the section, and returns what it returned. Gives up only if the backend stays
     * unreachable. The section does not start on a lease that has already ended.
     *
     * @throws LeaseLostException if the lease ended before the section did: its effects may have overlapped with
     *     another holder's, and only a fenced resource is certain to be unharmed
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    public <T extends @Nullable Object, X extends Exception> T call(CriticalSection<T, X> section)
            throws X, InterruptedException {
        return call(Alarm.NEVER, section);
    }

    /**
     * As {@link #call(CriticalSection)}, but waits at most that long.
     *
     * @throws LockTimeoutException if the lock was busy for that long; the section did not run
     * @throws LeaseLostException if the lease ended before the section did: its effects may have overlapped with
     *     another holder's, and only a fenced resource is certain to be unharmed
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    public <T extends @Nullable Object, X extends Exception> T call(Duration maxWait, CriticalSection<T, X> section)
            throws X, InterruptedException {
        return call(nanos(maxWait), section);
    }

    /**
     * As {@link #call(CriticalSection)}, for what returns nothing.
     *
     * @throws LeaseLostException if the lease ended before the action did
     * @throws InterruptedException if interrupted while waiting; the action did not run
     */
    public <X extends Exception> void run(CriticalAction<X> action) throws X, InterruptedException {
        run(Alarm.NEVER, action);
    }

    /**
     * As {@link #call(Duration, CriticalSection)}, for what returns nothing.
     *
     * @throws LockTimeoutException if the lock was busy for that long; the action did not run
     * @throws LeaseLostException if the lease ended before the action did
     * @throws InterruptedException if interrupted while waiting; the action did not run
     */
    public <X extends Exception> void run(Duration maxWait, CriticalAction<X> action) throws X, InterruptedException {
        run(nanos(maxWait), action);
    }

    private <T extends @Nullable Object, X extends Exception> T call(long maxWaitNanos, CriticalSection<T, X> section)
            throws X, InterruptedException {
        Objects.requireNonNull(section, "section");
        try (TenureLease lease = leaseOrThrow(await(maxWaitNanos))) {
            lease.ensureValid(Duration.ZERO);
            T result = section.run(lease);
            lease.ensureNotLost();
            return result;
        }
    }

    private <X extends Exception> void run(long maxWaitNanos, CriticalAction<X> action) throws X, InterruptedException {
        Objects.requireNonNull(action, "action");
        try (TenureLease lease = leaseOrThrow(await(maxWaitNanos))) {
            lease.ensureValid(Duration.ZERO);
            action.run(lease);
            lease.ensureNotLost();
        }
    }

    private Object await(long maxWaitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "Interrupted before asking for " + LockKey.describe(key) + "; nothing is held.");
        }
        ParkedWaiter waiter = new ParkedWaiter(engine, key, terms, maxWaitNanos);
        return Blocking.await(waiter, maxWaitNanos == Alarm.NEVER);
    }

    private CompletableFuture<Lease> async(long maxWaitNanos) {
        FutureWaiter waiter = new FutureWaiter(engine, key, terms, maxWaitNanos);
        try {
            engine.join(waiter);
        } catch (HoldfastClosedException e) {
            return CompletableFuture.failedFuture(e);
        } catch (RuntimeException | Error e) {
            // The caller never sees the future, so nobody would use a lease that it brings.
            waiter.future().cancel(false);
            throw e;
        }
        return waiter.future();
    }

    private static TenureLease leaseOrThrow(Object result) {
        if (result instanceof Refusal refusal) {
            throw refusal.toException();
        }
        return (TenureLease) result;
    }

    private static Optional<Lease> leaseOrEmpty(Object result) {
        if (result instanceof Refusal refusal && refusal.kind() == Refusal.Kind.BUSY) {
            return Optional.empty();
        }
        return Optional.of(leaseOrThrow(result));
    }

    private static long nanos(Duration maxWait) {
        return Durations.requireWait(maxWait, "maxWait").toNanos();
    }
}
