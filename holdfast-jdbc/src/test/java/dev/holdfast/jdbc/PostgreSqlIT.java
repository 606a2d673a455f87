package dev.holdfast.jdbc;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The conformance kit on a real PostgreSQL. */
class PostgreSqlIT extends LockBackendContract {
    @RegisterExtension
    static final PostgreSqlServer postgres = new PostgreSqlServer();

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(postgres.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, postgres.url()));
    }

    /** Clients in a process of their own. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return JdbcBackend.over(Databases.sharedPool(url)).connect();
        }
    }
}
