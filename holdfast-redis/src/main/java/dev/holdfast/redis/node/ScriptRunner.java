package dev.holdfast.redis.node;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Where scripts can be run: a server, or a server that is asked for what is just moving to it. */
public interface ScriptRunner {
    /** Host and port, for messages. */
    String address();

    /** Of the server that the connection for commands leads to, or led to last. */
    RedisNode.Identity identity();

    /**
     * Runs a script. The answer holds longs, strings, nulls and lists of them. A text by itself stands for a list of the
     * numbers in it.
     */
    CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments);

    /**
     * For scripts that may grant a lock. Where a {@link Confirmation} is asked for, the answer to a grant comes once replicas, or
     * disks, have confirmed it; if they do not in time, the stage fails, and the lock has to be taken back. Such requests have a
     * connection of their own, because others would have to wait with them.
     */
    default ScriptRunner claims() {
        return this;
    }
}
