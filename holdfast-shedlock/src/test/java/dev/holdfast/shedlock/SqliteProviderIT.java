package dev.holdfast.shedlock;

import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.spi.LockBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteProviderIT extends ProviderContract {
    @TempDir
    Path directory;

    @Override
    LockBackend newClient() {
        return JdbcBackend.sqlite(directory.resolve("locks.db"));
    }
}
