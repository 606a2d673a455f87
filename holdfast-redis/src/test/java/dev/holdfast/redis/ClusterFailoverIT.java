package dev.holdfast.redis;

import dev.holdfast.redis.testing.ClusterFailover;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.StagedFailover;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClusterFailoverIT extends FailoverScenarios {
    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withReplicas();

    private final ClusterFailover control = new ClusterFailover(cluster);

    @Override
    String url() {
        return cluster.url();
    }

    @Override
    StagedFailover control() {
        return control;
    }

    @Override
    RedisServer master(String name) {
        return control.masterOf(name);
    }
}
