package dev.holdfast.lab.client;

import java.time.Duration;

/** One of the two locks, as a client process uses it. */
interface TestedLock extends AutoCloseable {
    /**
     * Waits until this process holds the lock.
     *
     * @param once to ask once, and not to wait
     *
     * @throws NotGrantedException if it was not granted; says why
     */
    Held ask(Duration lease, boolean renewed, boolean once) throws InterruptedException, NotGrantedException;

    /** Blocks until all connections are closed. */
    @Override
    void close();

    /** What is held, as the process believes. */
    interface Held {
        /** 0 where the lock has none. */
        long token();

        int votes();

        /** How long the process may believe in it, by its own clock; zero once that is over. */
        Duration remaining();

        void release();
    }

    /** Busy, or out of reach. */
    final class NotGrantedException extends Exception {
        private static final long serialVersionUID = 1L;

        final boolean busy;

        NotGrantedException(boolean busy, String why) {
            super(why);
            this.busy = busy;
        }
    }
}
