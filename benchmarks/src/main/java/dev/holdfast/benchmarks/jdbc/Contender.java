package dev.holdfast.benchmarks.jdbc;

/** A lock in a database, whoever made it: the same few words for all of them. */
interface Contender extends AutoCloseable {
    String name();

    /** Blocks until it is held. What is returned releases it. */
    Runnable lock(String name) throws InterruptedException;

    @Override
    void close();
}
