package dev.holdfast.benchmarks.zookeeper;

/** One client of the servers, whoever made the lock. */
interface Contender extends AutoCloseable {
    String name();

    /** Blocks until it is held. What is returned releases it, in the same thread. */
    Runnable lock(String name) throws Exception;

    @Override
    void close();
}
