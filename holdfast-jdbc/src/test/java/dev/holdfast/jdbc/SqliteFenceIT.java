package dev.holdfast.jdbc;

import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.io.TempDir;

/** Fences in a SQLite file. */
class SqliteFenceIT extends SqlFenceContract {
    @TempDir
    static Path directory;

    @Override
    DataSource dataSource() {
        return Databases.unpooled("jdbc:sqlite:" + directory.resolve("numbers.db") + "?busy_timeout=5000");
    }
}
