package dev.holdfast.proving.machine;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The servers of a store. For one thread at a time. */
public interface StoreServers extends AutoCloseable {
    /** Their ports, which they keep over restarts. */
    List<Integer> ports();

    /** The program and its version. */
    String version();

    /** As kill -9 does it. */
    void kill(int server) throws IOException, InterruptedException;

    /** Blocks until it answers. */
    void start(int server) throws IOException, InterruptedException;

    /** Removes what it wrote down, while it is not running. */
    void forget(int server) throws IOException, InterruptedException;

    void freeze(int server) throws IOException, InterruptedException;

    void thaw(int server) throws IOException, InterruptedException;

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
