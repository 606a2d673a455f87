package dev.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Fences in a SQLite file. */
class SqliteFenceIT extends SqlFenceContract {
    @TempDir
    static Path directory;

    @Override
    String url() {
        return "jdbc:sqlite:" + directory.resolve("numbers.db") + "?busy_timeout=5000";
    }
}
