package dev.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Takes back what a store may have granted to an owner that nobody uses any more, so that nothing is held for nobody. Asks
 * at once. Where a request that could bring the grant back may still arrive, asks again once it no longer can. Repeats a
 * failed attempt until the store has confirmed, or until the lease has ended by itself.
 *
 * <p>One attempt at a time: the next is made when the last was answered. Safe for use by many threads.
 *
 * @param <T> what the store answers
 */
public final class Withdrawal<T> {
    /** What is sent, and what happens between two attempts. Called with no lock held. */
    public interface Attempts<T> {
        /** Sends one attempt. Must not throw. */
        CompletionStage<T> attempt();

        /** Runs the next attempt after that time, or not at all once whoever withdraws is closed. */
        void schedule(long delayNanos, Runnable next);

        /** Whether this failure proves that nothing is left to take back. */
        default boolean isConfirmedBy(Throwable failure) {
            return false;
        }

        /**
         * An attempt failed.
         *
         * @param left after that time the lease has ended by itself
         */
        default void failed(Throwable failure, Duration left) {}

        /** No further attempt will be made. */
        default void ended() {}
    }

    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    /** A store that is back must not wait long for the claims it still keeps in its queue. */
    private static final long LONGEST_BACKOFF_NANOS = 2_000_000_000;

    private final Environment environment;
    private final Attempts<T> attempts;
    private final long settledAtNanos;
    private final long endsNanos;
    /** Used by one attempt at a time; {@code waiting} publishes it to the next. */
    private long backoffNanos = FIRST_BACKOFF_NANOS;
    /** Set between two attempts. Whoever clears it makes the next one: the timer, or {@link #retryNow}. */
    private final AtomicBoolean waiting = new AtomicBoolean();

    /**
     * Begins with {@link #start}.
     *
     * @param settling how long a request may still be carried out that could bring the grant back; zero if none is under
     *     way
     * @param lease how long the store keeps the grant by itself
     */
    public Withdrawal(Environment environment, Duration settling, Duration lease, Attempts<T> attempts) {
        this.environment = environment;
        this.attempts = attempts;
        this.settledAtNanos = environment.nanoTime() + settling.toNanos();
        this.endsNanos = settledAtNanos + lease.toNanos();
    }

    /** Makes the first attempt, and returns its answer. Called once. */
    public CompletionStage<T> start() {
        long sentNanos = environment.nanoTime();
        return attempts.attempt()
                .whenComplete(
                        (done, failure) -> answered(sentNanos, failure == null ? null : Failures.unwrap(failure)));
    }

    /** The store can be reached again: does not wait for the timer. Does nothing while an attempt is under way. */
    public void retryNow() {
        if (waiting.compareAndSet(true, false)) {
            // A timer that was overtaken here comes early for the attempt after this one, which does no harm.
            var unused = start();
        }
    }

    private void answered(long sentNanos, @Nullable Throwable failure) {
        long now = environment.nanoTime();
        boolean confirmed = failure == null || attempts.isConfirmedBy(failure);
        if (failure != null && !confirmed) {
            attempts.failed(failure, Duration.ofNanos(Math.max(0, endsNanos - now)));
        }
        if ((confirmed && sentNanos - settledAtNanos >= 0) || now - endsNanos >= 0) {
            attempts.ended();
            return;
        }
        long delayNanos = confirmed ? Math.max(0, settledAtNanos - now) : nextBackoff();
        // Last: from here on somebody else may make the next attempt.
        waiting.set(true);
        attempts.schedule(delayNanos, this::retryNow);
    }

    /** Spread, because attempts that failed together must not be repeated together. */
    private long nextBackoff() {
        long backoff = backoffNanos;
        backoffNanos = Math.min(2 * backoff, LONGEST_BACKOFF_NANOS);
        return backoff / 2 + (long) (environment.random().nextDouble() * backoff);
    }
}
