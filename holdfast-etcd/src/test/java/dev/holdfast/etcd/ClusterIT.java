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
    // As late as leaves the shortest lease at two seconds: another election would fail what the kit asks meanwhile.
    static final Servers cluster = Servers.three("--election-timeout=1300");

    @BeforeAll
    static void killTheLeader() throws InterruptedException {
        cluster.kill(cluster.leader());
        cluster.leader();
        // Whoever is led hears of it a moment later than the new leader.
        cluster.awaitSurvivorsHealthy();
    }

    @Override
    protected LockBackend newClient() {
        return EtcdBackendIT.patient(cluster.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(EtcdBackendIT.Clients.class, cluster.url()));
    }

    @Override
    protected Duration soon() {
        return Duration.ofSeconds(5);
    }
}
