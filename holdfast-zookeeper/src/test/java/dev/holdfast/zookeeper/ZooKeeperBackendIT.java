package dev.holdfast.zookeeper;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit, on one server. */
class ZooKeeperBackendIT extends LockBackendContract {
    @RegisterExtension
    static final Server server = new Server();

    @Override
    protected LockBackend newClient() {
        return Clients.of(server.address(), Clients.LONG).connect();
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, server.address()));
    }

    /** The end of a session is known to nobody but the servers; what is shown is the least that is left of it. */
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
