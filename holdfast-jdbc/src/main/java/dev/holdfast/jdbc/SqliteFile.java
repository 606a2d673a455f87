package dev.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;

/** A file of our own. Opening it costs more than a statement, so connections are kept. */
final class SqliteFile implements ConnectionSource {
    private final String url;
    private final long busyMillis;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    SqliteFile(Path file, long busyMillis) {
        Path absolute = file.toAbsolutePath();
        if (absolute.toString().indexOf('?') >= 0) {
            throw new IllegalArgumentException("SQLite's driver cannot open a path with a question mark: " + absolute);
        }
        createParent(absolute);
        this.url = "jdbc:sqlite:" + absolute;
        this.busyMillis = busyMillis;
    }

    private static void createParent(Path file) {
        Path parent = file.getParent();
        try {
            if (parent != null) {
                Files.createDirectories(parent);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create the directory of the lock file " + file, e);
        }
    }

    @Override
    public Connection take() throws SQLException {
        Connection kept = idle.poll();
        return kept == null ? open() : kept;
    }

    private Connection open() throws SQLException {
        Connection opened = DriverManager.getConnection(url);
        try {
            Sql.execute(opened, "PRAGMA busy_timeout = " + busyMillis);
            Sql.execute(opened, "PRAGMA journal_mode = WAL");
            // Survives the crash of a process. After one of the machine no process is left that could hold anything,
            // and
            // tokens go on from the clock.
            Sql.execute(opened, "PRAGMA synchronous = NORMAL");
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void giveBack(Connection connection) throws SQLException {
        idle.push(connection);
        if (closed) {
            close();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Connection each = idle.poll(); each != null; each = idle.poll()) {
            try {
                each.close();
            } catch (SQLException e) {
                // Nothing can be done about it, and nothing depends on it.
            }
        }
    }
}
