package dev.holdfast.jdbc;

import dev.holdfast.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Clients of SQLite files, each with connections of its own as a process has them; closed after each test. */
final class SqliteProcesses implements AfterEachCallback {
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A new client. Closing it does not wait for locks that a test left behind. */
    Holdfast on(Path file) {
        Holdfast process = Holdfast.builder(JdbcBackend.sqlite(file))
                .closeGrace(Duration.ofMillis(300))
                .build();
        closeAfterwards(process);
        return process;
    }

    void closeAfterwards(AutoCloseable each) {
        opened.add(each);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        opened.clear();
    }
}
