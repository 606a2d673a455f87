package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * A name with options: a cheap, immutable handle. It holds nothing itself; a {@link Lease} does. Make one where you need
 * it, or keep it; both are fine. Safe for use by many threads.
 *
 * <p>All blocking methods can be interrupted: they then withdraw, hold nothing, and throw {@link InterruptedException}.
 * All may throw {@link LockUnavailableException} (the backend cannot be reached, which is not the same as busy) and {@link
 * HoldfastClosedException}.
 */
public final class DistributedLock {
    private final Holdfast holdfast;
    private final Engine engine;
    private final String name;
    private final Terms terms;

    DistributedLock(Holdfast holdfast, Engine engine, String name, Terms terms) {
        this.holdfast = holdfast;
        this.engine = engine;
        this.name = name;
        this.terms = terms;
    }

    /** The name, as given. */
    public String name() {
        return name;
    }

    // ---- options

    /**
     * For how long the backend keeps the lock if this process dies. An open lease is renewed every third of it.
     *
     * @throws IllegalArgumentException if it is shorter than 10 ms or longer than the longest accepted
     */
    public DistributedLock withLease(Duration lease) {
        Durations.requireLease(lease, engine.settings.maxLease());
        return with(new Terms(lease, terms.renewing(), terms.heldAtMost(), terms.holder()));
    }

    /** Not renewed: the lease ends after its duration, whatever happens. */
    public DistributedLock fixed() {
        return with(new Terms(terms.lease(), false, terms.heldAtMost(), terms.holder()));
    }

    /** Bounds the time one lease may be held in all, however often it is renewed. Then it expires. */
    public DistributedLock heldAtMost(Duration bound) {
        Durations.requirePositive(bound, "heldAtMost");
        return with(new Terms(terms.lease(), terms.renewing(), bound, terms.holder()));
    }

    /** A text for operators: what this lock is held for. At most 200 characters, no control characters. */
    public DistributedLock describedAs(String description) {
        Holder holder = terms.holder();
        return with(new Terms(
                terms.lease(),
                terms.renewing(),
                terms.heldAtMost(),
                new Holder(holder.host(), holder.pid(), Holdfast.requireDescription(description))));
    }

    private DistributedLock with(Terms other) {
        return new DistributedLock(holdfast, engine, name, other);
    }

    // ---- acquiring

    /**
     * Waits until the lock is ours. Gives up only if the backend stays unreachable.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    public Lease acquire() throws InterruptedException {
        return leaseOrThrow(await(Alarm.NEVER));
    }

    /**
     * Waits until the lock is ours, at most that long.
     *
     * @throws LockTimeoutException if it was busy all the time; nothing is held
     * @throws InterruptedException if interrupted; nothing is held
     */
    public Lease acquire(Duration maxWait) throws InterruptedException {
        return leaseOrThrow(await(nanos(maxWait)));
    }

    /**
     * Asks once. Empty means busy: held, or others were here first. Waits for the backend's answer only.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    public Optional<Lease> tryAcquire() throws InterruptedException {
        return leaseOrEmpty(await(0));
    }

    /**
     * Waits until the lock is ours, at most that long. Empty means that it was busy all the time.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    public Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException {
        return leaseOrEmpty(await(nanos(maxWait)));
    }

    /**
     * As {@link #acquire()}, without blocking. Cancelling the returned future withdraws from the queue, and gives back a
     * lease that was on its way. Cancelling a stage derived from it does neither. Completes on the executor for user code.
     */
    public CompletableFuture<Lease> acquireAsync() {
        return async(Alarm.NEVER);
    }

    /** As {@link #acquire(Duration)}, without blocking; see {@link #acquireAsync()}. A wait of zero asks once. */
    public CompletableFuture<Lease> acquireAsync(Duration maxWait) {
        return async(nanos(maxWait));
    }

    // ---- running

    /**
     * Runs the section while holding the lock, and returns what it returned. The section does not start on a lease that
     * has already ended.
     *
     * @throws LockTimeoutException if the lock was busy for that long; the section did not run
     * @throws LeaseLostException if the lease ended before the section did: its effects may have overlapped with
     *     another holder's, and only a fenced resource is certain to be unharmed
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    public <T, X extends Exception> T call(Duration maxWait, CriticalSection<T, X> section)
            throws X, InterruptedException {
        Objects.requireNonNull(section, "section");
        try (TenureLease lease = leaseOrThrow(await(nanos(maxWait)))) {
            lease.ensureValid(Duration.ZERO);
            T result = section.run(lease);
            lease.ensureNotLost();
            return result;
        }
    }

    /**
     * This lock as {@link Lock}, for code that expects one. Reentrant per thread: a thread that holds it through any
     * adapter of this name and {@link Holdfast} holds it again at once, on the terms of the first time. {@code unlock}
     * throws {@link IllegalMonitorStateException} if this thread does not hold it, and {@link LeaseLostException} if the
     * lease ended before. {@code newCondition} is not supported.
     */
    public Lock asLock() {
        return new LockAdapter(this, holdfast.threadHolds());
    }

    @Override
    public String toString() {
        return "DistributedLock '" + name + "'";
    }

    private Object await(long maxWaitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before asking for lock '" + name + "'; nothing is held.");
        }
        ParkedWaiter waiter = new ParkedWaiter(engine, name, terms, maxWaitNanos);
        boolean unlimited = maxWaitNanos == Alarm.NEVER;
        return Blocking.await(unlimited ? Blocking.lendThread(engine.backend, () -> join(waiter)) : join(waiter));
    }

    private ParkedWaiter join(ParkedWaiter waiter) {
        engine.join(waiter);
        return waiter;
    }

    private CompletableFuture<Lease> async(long maxWaitNanos) {
        FutureWaiter waiter = new FutureWaiter(engine, name, terms, maxWaitNanos);
        try {
            engine.join(waiter);
        } catch (HoldfastClosedException e) {
            return CompletableFuture.failedFuture(e);
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
        return Durations.requireNotNegative(maxWait, "maxWait").toNanos();
    }
}
