package dev.holdfast.redis;

import dev.holdfast.redis.testing.ClusterFailover;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.FailoverControl;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClusterBackendIT extends LockBackendContract {
    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withReplicas();

    @Override
    protected LockBackend newClient() {
        return Patient.backend(cluster.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(RedisBackendIT.Clients.class, cluster.url()));
    }

    @Override
    protected Optional<FailoverControl> failover() {
        return Optional.of(new ClusterFailover(cluster));
    }
}
