package dev.holdfast.redis.testing;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.tck.FailoverControl;
import org.jspecify.annotations.Nullable;

/** Plays failovers of a cluster with replicas. One at a time. */
public final class ClusterFailover implements FailoverControl {
    private final RedisCluster cluster;
    private @Nullable RedisServer paused;
    /** The master of the paused one. */
    private @Nullable RedisServer cutOff;

    private @Nullable RedisServer killed;

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
    public void failOver(String name) {
        // A server that is paused agrees to nothing.
        RedisServer master = cutOff == null ? masterOf(name) : cutOff;
        killed = master;
        master.kill();
        goOn();
        cluster.awaitFailover(slotOf(name), master);
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
        if (killed != null) {
            killed.restart();
            killed = null;
        }
        cluster.awaitWhole();
    }
}
