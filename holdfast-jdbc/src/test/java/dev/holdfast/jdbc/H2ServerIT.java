package dev.holdfast.jdbc;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The conformance kit on an H2 server. */
class H2ServerIT extends LockBackendContract {
    @RegisterExtension
    static final H2Server h2 = new H2Server();

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(h2.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, h2.url()));
    }

    /** Clients in a process of their own. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return JdbcBackend.over(Databases.sharedPool(url)).connect();
        }
    }
}
