package dev.holdfast.jdbc;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on an H2 file that one of the processes serves to the others. */
class H2FileIT extends LockBackendContract {
    @TempDir
    static Path directory;

    private static String url() {
        return "jdbc:h2:file:" + directory.resolve("locks") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
    }

    @AfterAll
    static void close() {
        Databases.closeFile(url(), directory.resolve("locks"));
    }

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, url()));
    }

    /** Clients in a process of their own. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return JdbcBackend.over(Databases.sharedPool(url)).createTables().connect();
        }
    }
}
