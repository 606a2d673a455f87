package dev.holdfast.jdbc;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on a SQLite file. */
class SqliteIT extends LockBackendContract {
    @TempDir
    static Path directory;

    private static String file() {
        return directory.resolve("locks.db").toString();
    }

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(file());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, file()));
    }

    /** Clients in a process of their own. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return JdbcBackend.sqlite(Path.of(url));
        }
    }
}
