package dev.holdfast.etcd;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit, on what is left of three members after the leader was killed: clients are spread over the other two. */
@OnEtcd
class ClusterIT extends LockBackendContract {
    @RegisterExtension
    static final Servers cluster = Servers.three();

    @BeforeAll
    static void killTheLeader() throws InterruptedException {
        cluster.kill(cluster.leader());
        cluster.leader();
    }

    @Override
    protected LockBackend newClient() {
        return EtcdBackend.connect(cluster.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(EtcdBackendIT.Clients.class, cluster.url()));
    }

    @Override
    protected Duration soon() {
        return Duration.ofSeconds(4);
    }
}
