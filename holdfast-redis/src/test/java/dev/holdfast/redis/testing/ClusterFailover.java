package dev.holdfast.redis.testing;

import dev.holdfast.redis.node.Keys;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Plays failovers of a cluster with replicas. One at a time. */
public final class ClusterFailover implements StagedFailover {
    private final RedisCluster cluster;
    private @Nullable RedisServer paused;
    /** The master of the paused one. */
    private @Nullable RedisServer cutOff;

    private @Nullable RedisServer killed;
    private @Nullable RedisServer frozen;
    private boolean succeeded;

    public ClusterFailover(RedisCluster cluster) {
        this.cluster = cluster;
    }

    /** Who keeps this name. */
    public RedisServer masterOf(String name) {
        return cluster.masterOf(slotOf(name));
    }

    public int slotOf(String name) {
        return Integer.parseInt(cluster.alive()
                .get(0)
                .text("CLUSTER", "KEYSLOT", Keys.standard().lock(name)));
    }

    @Override
    public void holdBackReplication(String name) {
        RedisServer master = masterOf(name);
        cutOff = master;
        paused = cluster.replicaOf(master);
        // Stopped alone, it would read what waits in its socket when it goes on.
        paused.pause();
        master.call("CLIENT", "KILL", "TYPE", "replica");
    }

    @Override
    public void kill(String name) {
        // A server that is paused agrees to nothing.
        RedisServer master = cutOff == null ? masterOf(name) : cutOff;
        killed = master;
        succeeded = false;
        master.kill();
        goOn();
    }

    @Override
    public void freeze(String name) {
        frozen = cutOff == null ? masterOf(name) : cutOff;
        succeeded = false;
        frozen.pause();
        goOn();
    }

    @Override
    public void takeOver(String name) {
        RedisServer gone = killed != null ? killed : frozen;
        cluster.awaitFailover(slotOf(name), Objects.requireNonNull(gone, "nobody was killed or frozen"));
        succeeded = true;
    }

    private void goOn() {
        if (paused != null) {
            paused.resume();
            paused = null;
        }
        cutOff = null;
    }

    @Override
    public void restore() {
        goOn();
        RedisServer back = killed != null ? killed : frozen;
        if (back != null) {
            if (back == frozen) {
                back.resume();
            } else {
                back.restart();
            }
            killed = null;
            frozen = null;
            // It takes itself for the master that it was, until it hears of its successor.
            RedisCluster.await(
                    "the former master is a replica",
                    () -> !succeeded || back.text("INFO", "replication").contains("role:slave"));
        }
        cluster.awaitWhole();
        cluster.calm();
    }
}
