package dev.holdfast.proving.machine;

import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The servers of a store. For one thread at a time. */
public interface StoreServers extends AutoCloseable {
    /** Their ports, which they keep over restarts. */
    List<Integer> ports();

    /** The program and its version. */
    String version();

    /** Whether all of them run, which is so after every fault. */
    boolean areRunning();

    /** Whether clients reach them only at the ports that they were given, so that our network can stand between. */
    default boolean areReachedByPort() {
        return true;
    }

    /**
     * A name for a lock that is kept where the faults happen.
     *
     * @param key where a library keeps the lock of a name
     */
    default String lockName(String wanted, UnaryOperator<String> key) {
        return wanted;
    }

    /** As kill -9 does it. */
    default void kill(int server) throws IOException, InterruptedException {
        throw notOneByOne();
    }

    /** Blocks until it answers. */
    default void start(int server) throws IOException, InterruptedException {
        throw notOneByOne();
    }

    /** Removes what it wrote down, while it is not running. */
    default void forget(int server) throws IOException, InterruptedException {
        throw notOneByOne();
    }

    default void freeze(int server) throws IOException, InterruptedException {
        throw notOneByOne();
    }

    default void thaw(int server) throws IOException, InterruptedException {
        throw notOneByOne();
    }

    private static IOException notOneByOne() {
        return new IOException("These servers are not hit one by one");
    }

    default void setClockRate(int server, int rate) throws IOException {
        throw new IOException("This server has no clock of its own");
    }

    /** Every wait for the server's disk takes so much longer. */
    default void setDiskDelay(int server, int millis) throws IOException {
        throw new IOException("The disk of this server cannot be slowed");
    }

    /** One command to a Redis server. */
    default @Nullable Object call(int server, String... command) throws IOException {
        throw new IOException("This is no Redis server");
    }

    @Override
    void close() throws IOException;
}
