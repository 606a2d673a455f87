package dev.holdfast.etcd;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit, on one member. */
@OnEtcd
class EtcdBackendIT extends LockBackendContract {
    @RegisterExtension
    static final Servers server = Servers.one();

    /** For a process of its own. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return patient(url);
        }
    }

    @Override
    protected LockBackend newClient() {
        return patient(server.url());
    }

    /** Steps of the kit fail with the first request that does. A busy machine may stand still for some seconds. */
    static LockBackend patient(String url) {
        return EtcdBackend.builder(url).requestTimeout(Duration.ofSeconds(20)).connect();
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, server.url()));
    }

    /** As the guarantees say: servers count whole seconds, two at least, and look for ended leases twice a second. */
    @Override
    protected Duration soon() {
        return Duration.ofSeconds(5);
    }
}
