package dev.holdfast.jdbc.connection;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Connections of our own to one URL. Opening one costs more than a step, so they are kept: no more than were in use at once.
 */
public final class UrlConnections implements ConnectionSource {
    /** A connection that was used a moment ago is believed to work; one that has rested is asked. */
    private static final long RESTED_NANOS = 1_000_000_000;

    private static final int CHECK_SECONDS = 2;

    private record Kept(Connection connection, long sinceNanos) {}

    private final String url;
    // The one that was used last comes first, so the others rest and are found out if they break.
    private final ConcurrentLinkedDeque<Kept> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    public UrlConnections(String url) {
        this.url = url;
    }

    @Override
    public Connection take() throws SQLException {
        for (Kept kept = idle.poll(); kept != null; kept = idle.poll()) {
            boolean rested = System.nanoTime() - kept.sinceNanos() > RESTED_NANOS;
            if (!rested || kept.connection().isValid(CHECK_SECONDS)) {
                return kept.connection();
            }
            discard(kept.connection());
        }
        return DriverManager.getConnection(url);
    }

    @Override
    public void giveBack(Connection connection) throws SQLException {
        if (connection.isClosed() || !connection.getAutoCommit()) {
            // Broken, or left in the middle of a transaction.
            discard(connection);
            return;
        }
        idle.push(new Kept(connection, System.nanoTime()));
        if (closed) {
            close();
        }
    }

    private static void discard(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // Nothing can be done about it, and nothing depends on it.
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Kept kept = idle.poll(); kept != null; kept = idle.poll()) {
            discard(kept.connection());
        }
    }
}
