package dev.holdfast.redis.testing;

import dev.holdfast.tck.FailoverControl;

/** A failover in two steps, for tests of what happens between them. */
public interface StagedFailover extends FailoverControl {
    /** Kills the server that keeps this name. Nobody takes over before {@link #takeOver}, however long that is. */
    void kill(String name);

    /** Stops the server that keeps this name until {@link #restore}; it keeps its connections. Otherwise like {@link #kill}. */
    void freeze(String name);

    /** Returns once another server has taken over, and everybody who may be asked for it says so. */
    void takeOver(String name);

    @Override
    default void failOver(String name) {
        kill(name);
        takeOver(name);
    }
}
