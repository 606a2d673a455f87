package dev.holdfast.zookeeper;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit, on what is left of three servers after the leader was killed: clients are spread over the other two. */
class EnsembleIT extends LockBackendContract {
    @RegisterExtension
    static final Ensemble ensemble = new Ensemble();

    @BeforeAll
    static void killTheLeader() throws InterruptedException {
        ensemble.kill(ensemble.awaitLeader());
        ensemble.awaitLeader();
    }

    @Override
    protected LockBackend newClient() {
        return Clients.of(ensemble.address(), Clients.LONG).connect();
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, ensemble.address()));
    }

    @Override
    protected Duration soon() {
        return Clients.BRIEF.plusSeconds(1);
    }

    /** An answer that comes after its lease has ended is no grant here, and servers in Java begin slowly. */
    @Override
    protected Duration lease() {
        return Duration.ofSeconds(1);
    }
}
