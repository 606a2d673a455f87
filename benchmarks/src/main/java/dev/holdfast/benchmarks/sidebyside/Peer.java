package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A lock library, set up as its own documents tell. */
public interface Peer {
    String name();

    /** What was set, for the report. */
    String setUp();

    /** One process's worth of it. */
    Client connect(List<String> urls) throws Exception;

    /** Used by many threads. */
    interface Client extends AutoCloseable {
        /** Waits until it is held. */
        Held lock(String name) throws Exception;

        /** Without a thread that waits. */
        default CompletableFuture<Held> lockAsync(String name) {
            throw new UnsupportedOperationException("blocking only");
        }

        @Override
        void close();
    }

    /** What was acquired. */
    interface Held {
        void unlock() throws Exception;

        default CompletableFuture<?> unlockAsync() {
            throw new UnsupportedOperationException("blocking only");
        }
    }
}
