package dev.holdfast.benchmarks.failover;

/** A lock, and the way its users write to a database while they hold it. Safe for use by many threads. */
interface Contestant extends AutoCloseable {
    String name();

    /** Blocks until it has the lock. An exception says that it has not. */
    Section enter(String lock) throws Exception;

    @Override
    void close();

    /** Between acquire and release. */
    interface Section {
        /** The account as it is now. */
        long read() throws Exception;

        /** Overwrites it. Returning is the acknowledgement; an exception says that nothing was written. */
        void write(long value) throws Exception;

        void leave() throws Exception;
    }
}
