package dev.holdfast.redis.testing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Plays failovers of a master that sentinels watch. One at a time. */
public final class SentinelFailover implements StagedFailover {
    private final RedisSentinels sentinels;
    private @Nullable RedisServer paused;
    private @Nullable RedisServer killed;
    private @Nullable RedisServer frozen;

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
    public void kill(String name) {
        RedisServer master = sentinels.master();
        killed = master;
        master.kill();
        goOn();
    }

    @Override
    public void freeze(String name) {
        frozen = sentinels.master();
        frozen.pause();
        goOn();
    }

    @Override
    public void takeOver(String name) {
        RedisServer gone = killed != null ? killed : frozen;
        sentinels.awaitFailover(Objects.requireNonNull(gone, "nobody was killed or frozen"));
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
        if (frozen != null) {
            frozen.resume();
            frozen = null;
        }
        if (killed != null) {
            RedisServer back = killed;
            killed = null;
            RedisServer master = sentinels.master();
            if (master == back) {
                back.restart();
            } else {
                // Else a sentinel tells it to follow, after it has looked on for eight seconds.
                back.restart("--replicaof", "127.0.0.1 " + master.port());
            }
        }
        sentinels.awaitWhole();
    }
}
