package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.util.List;

/** Where locks are kept, other than in Redis. */
public interface Store extends AutoCloseable {
    /** What its peers connect to. */
    List<String> urls();

    /** How many it has had since it was started. */
    long requests() throws Exception;

    @Override
    void close() throws IOException;

    /** Starts one. */
    interface Start {
        Store now() throws Exception;
    }
}
