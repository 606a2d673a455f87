package dev.holdfast.proving.machine;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.ClusterFailover;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.function.UnaryOperator;

/** A cluster of three masters with a replica each. Failovers happen to the master of the first third of all slots. */
public final class ClusterServers extends ReplicatedRedis {
    private static final int HIT_SLOTS = SlotHash.SLOT_COUNT / 3;

    private final RedisCluster cluster;

    private ClusterServers(RedisCluster cluster) {
        super(
                new ClusterFailover(cluster),
                hit("lock", Keys.standard()::lock),
                () -> cluster.masters().get(0));
        this.cluster = cluster;
    }

    public static ClusterServers start() {
        return new ClusterServers(RedisCluster.withReplicas().start());
    }

    @Override
    public List<Integer> ports() {
        return cluster.servers().stream().map(RedisServer::port).toList();
    }

    /** All locks are with the master that is hit. */
    @Override
    public String lockName(String wanted, UnaryOperator<String> key) {
        return hit(wanted, key);
    }

    private static String hit(String wanted, UnaryOperator<String> key) {
        String name = wanted;
        for (int i = 0; SlotHash.getSlot(key.apply(name)) >= HIT_SLOTS; i++) {
            name = wanted + "-" + i;
        }
        return name;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
