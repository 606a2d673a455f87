package dev.holdfast.redis.testing;

import dev.holdfast.tck.FailoverControl;
import org.jspecify.annotations.Nullable;

/** Plays failovers of a master that sentinels watch. One at a time. */
public final class SentinelFailover implements FailoverControl {
    private final RedisSentinels sentinels;
    private @Nullable RedisServer paused;
    private @Nullable RedisServer killed;

    public SentinelFailover(RedisSentinels sentinels) {
        this.sentinels = sentinels;
    }

    @Override
    public void holdBackReplication(String name) {
        RedisServer master = sentinels.master();
        paused = sentinels.replica();
        // Stopped alone, it would read what waits in its socket when it goes on.
        paused.pause();
        master.call("CLIENT", "KILL", "TYPE", "replica");
    }

    @Override
    public void failOver(String name) {
        RedisServer master = sentinels.master();
        killed = master;
        master.kill();
        goOn();
        sentinels.awaitFailover(master);
    }

    private void goOn() {
        if (paused != null) {
            paused.resume();
            paused = null;
        }
    }

    @Override
    public void restore() {
        goOn();
        if (killed != null) {
            killed.restart();
            killed = null;
        }
        sentinels.awaitWhole();
    }
}
