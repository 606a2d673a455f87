package dev.holdfast.spi;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The only door through which time, threads and randomness enter, so that a test or a simulator can own them all. Safe
 * for use by many threads.
 */
public interface Environment {
    /** Monotonic; compare only by subtraction. */
    long nanoTime();

    /** Microseconds since 1970, for people. Nothing that must be right depends on it. */
    long wallMicros();

    /** Runs a short task that does not block, once, after the delay. Tasks may run at the same time. */
    Scheduled schedule(long delayNanos, Runnable task);

    /**
     * Where a backend does I/O that blocks (JDBC). The number of threads is bounded; what finds none waits its turn. Throws
     * {@link java.util.concurrent.RejectedExecutionException} if this is closed, or if no thread can be had at all: then
     * nothing was sent, and the step fails with {@link NotSentException}.
     */
    Executor blocking();

    /**
     * Whether the calling thread has nothing to do but wait for the answer, with no limit of its own. A backend that blocks
     * may then do its step on this thread instead of {@link #blocking}, and spare two changes of thread.
     */
    default boolean mayBlock() {
        return false;
    }

    /**
     * Whether time passes by itself. False where only a test moves it: then closing does not wait for answers or holders,
     * because nobody would move the clock meanwhile.
     */
    default boolean timePasses() {
        return true;
    }

    /** A secure source, shared by all threads. */
    RandomGenerator random();

    /** A task that waits for its time. */
    @FunctionalInterface
    interface Scheduled {
        /** Best effort: a task that is starting may still run. */
        void cancel();
    }
}
