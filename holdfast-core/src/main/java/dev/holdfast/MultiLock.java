package dev.holdfast;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Several names that are held together, with options. Acquiring it gives a {@link MultiLease}: all of them, or none. They are taken
 * one after the other, by everybody in the same {@link #ORDER}, so two that overlap never wait for each other in a circle. Immutable
 * and cheap. Each option returns another one and leaves this one as it is; options and waits mean what they mean for a {@link
 * DistributedLock}, and hold for each of the names. Safe for use by many threads.
 *
 * <p>A wait is one wait for all of them. Whatever ends it early (a limit, an interrupt, a cancelled future, an outage) gives back
 * what was taken. All blocking methods can be interrupted, and all may throw {@link LockUnavailableException}, {@link
 * HoldfastClosedException}, and {@link LeaseLostException} if one of the locks was lost while another was waited for: nothing is
 * held then, and asking again is safe.
 *
 * <p>There is no {@code asLock()}: a thread that holds "b" already and re-enters it would take "a" after "b", against the order.
 */
public final class MultiLock {
    /**
     * The order in which everybody takes locks: by the bytes of their names in UTF-8, as unsigned numbers. Code that takes several
     * locks one by one keeps clear of deadlocks with this class, and with itself, if it takes them in this order.
     */
    public static final Comparator<String> ORDER = NameSet.ORDER;

    private final Engine engine;
    private final List<String> names;
    private final Terms terms;

    MultiLock(Engine engine, List<String> names, Terms terms) {
        this.engine = engine;
        this.names = names;
        this.terms = terms;
    }

    /** The names, in the order in which they are taken. */
    public List<String> names() {
        return names;
    }

    // ---- options

    /** As {@link DistributedLock#withLease}, for each of the names. */
    @CheckReturnValue
    public MultiLock withLease(Duration lease) {
        Durations.requireLease(lease, engine.settings.maxLease());
        return with(terms.withLease(lease));
    }

    /**
     * As {@link Acquirable#fixed}, for each of the names. The lease of the first runs while the others are waited for: wait for
     * less than the lease, or there is nothing left of it.
     */
    @CheckReturnValue
    public MultiLock fixed() {
        return with(terms.fixed());
    }

    /** As {@link Acquirable#heldAtMost}, for each of the names from when it was taken. The first that ends ends the whole. */
    @CheckReturnValue
    public MultiLock heldAtMost(Duration bound) {
        Durations.requirePositive(bound, "heldAtMost");
        return with(terms.withBound(bound));
    }

    /**
     * As {@link Acquirable#heldAtLeast}, for each of the names from when it was taken. What is given back because another one
     * was not to be had is not kept.
     *
     * @throws UnsupportedOperationException if the backend cannot do this: see {@link Guarantees#heldAtLeast}
     */
    @CheckReturnValue
    public MultiLock heldAtLeast(Duration minimum) {
        Durations.requirePositive(minimum, "heldAtLeast");
        return with(terms.withMinimum(minimum, engine.backend.guarantees(), toString()));
    }

    /** As {@link DistributedLock#describedAs}, for each of the names. */
    @CheckReturnValue
    public MultiLock describedAs(String description) {
        return with(terms.describedAs(Holdfast.requireDescription(description)));
    }

    private MultiLock with(Terms other) {
        return new MultiLock(engine, names, other);
    }

    // ---- acquiring

    /**
     * Waits until this caller holds all of them.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public MultiLease acquire() throws InterruptedException {
        return waiting(Alarm.NEVER).acquire();
    }

    /**
     * Waits until this caller holds all of them, at most that long in all.
     *
     * @throws LockTimeoutException if one of them was busy; it says which; nothing is held
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public MultiLease acquire(Duration maxWait) throws InterruptedException {
        return waiting(nanos(maxWait)).acquire();
    }

    /**
     * Asks once for each. Empty means that one of them was busy. Blocks only until the backend has answered.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Optional<MultiLease> tryAcquire() throws InterruptedException {
        return Optional.ofNullable(waiting(0).tryAcquire());
    }

    /**
     * Waits until this caller holds all of them, at most that long in all. Empty means that one of them was busy.
     *
     * @throws InterruptedException if interrupted; nothing is held
     */
    @CheckReturnValue
    public Optional<MultiLease> tryAcquire(Duration maxWait) throws InterruptedException {
        return Optional.ofNullable(waiting(nanos(maxWait)).tryAcquire());
    }

    /**
     * As {@link #acquire()}, without blocking. Cancelling the returned future gives back what was taken. Cancelling a stage derived
     * from it does not. Completes on the executor for user code.
     */
    @CheckReturnValue
    public CompletableFuture<MultiLease> acquireAsync() {
        return new MultiFuture(attempt(Alarm.NEVER)).acquire();
    }

    /** As {@link #acquire(Duration)}, without blocking; see {@link #acquireAsync()}. A wait of zero asks once for each. */
    @CheckReturnValue
    public CompletableFuture<MultiLease> acquireAsync(Duration maxWait) {
        return new MultiFuture(attempt(nanos(maxWait))).acquire();
    }

    // ---- running

    /**
     * Waits until this caller holds all of them, runs the section, and returns what it returned. The section does not start on
     * locks of which one has ended.
     *
     * @throws LeaseLostException if one of the leases ended before the section did
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    public <T extends @Nullable Object, X extends Exception> T call(Section<T, X> section)
            throws X, InterruptedException {
        return call(Alarm.NEVER, section);
    }

    /**
     * As {@link #call(Section)}, but waits at most that long in all.
     *
     * @throws LockTimeoutException if one of them was busy for that long; the section did not run
     * @throws LeaseLostException if one of the leases ended before the section did
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    public <T extends @Nullable Object, X extends Exception> T call(Duration maxWait, Section<T, X> section)
            throws X, InterruptedException {
        return call(nanos(maxWait), section);
    }

    /**
     * As {@link #call(Section)}, for what returns nothing.
     *
     * @throws LeaseLostException if one of the leases ended before the action did
     * @throws InterruptedException if interrupted while waiting; the action did not run
     */
    public <X extends Exception> void run(Action<X> action) throws X, InterruptedException {
        run(Alarm.NEVER, action);
    }

    /**
     * As {@link #call(Duration, Section)}, for what returns nothing.
     *
     * @throws LockTimeoutException if one of them was busy for that long; the action did not run
     * @throws LeaseLostException if one of the leases ended before the action did
     * @throws InterruptedException if interrupted while waiting; the action did not run
     */
    public <X extends Exception> void run(Duration maxWait, Action<X> action) throws X, InterruptedException {
        run(nanos(maxWait), action);
    }

    private <T extends @Nullable Object, X extends Exception> T call(long maxWaitNanos, Section<T, X> section)
            throws X, InterruptedException {
        Objects.requireNonNull(section, "section");
        try (MultiLease leases = waiting(maxWaitNanos).acquire()) {
            T result = section.run(leases);
            leases.ensureNotLost();
            return result;
        }
    }

    private <X extends Exception> void run(long maxWaitNanos, Action<X> action) throws X, InterruptedException {
        Objects.requireNonNull(action, "action");
        try (MultiLease leases = waiting(maxWaitNanos).acquire()) {
            action.run(leases);
            leases.ensureNotLost();
        }
    }

    /**
     * What runs while all the locks are held, and returns something.
     *
     * @param <T> what it returns; may be a nullable type
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Section<T extends @Nullable Object, X extends Exception> {
        /** Runs with leases that were valid a moment ago; hand {@link MultiLease#token} to the resources. */
        T run(MultiLease leases) throws X;
    }

    /**
     * What runs while all the locks are held, and returns nothing.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Action<X extends Exception> {
        /** Runs with leases that were valid a moment ago; hand {@link MultiLease#token} to the resources. */
        void run(MultiLease leases) throws X;
    }

    @Override
    public String toString() {
        return "MultiLock " + NameSet.text(names);
    }

    private MultiWait waiting(long maxWaitNanos) {
        return new MultiWait(attempt(maxWaitNanos));
    }

    private MultiAttempt attempt(long maxWaitNanos) {
        return new MultiAttempt(engine, names, terms, maxWaitNanos);
    }

    private static long nanos(Duration maxWait) {
        return Durations.requireWait(maxWait, "maxWait").toNanos();
    }
}
