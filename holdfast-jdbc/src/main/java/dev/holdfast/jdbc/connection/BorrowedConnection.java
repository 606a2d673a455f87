package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A borrowed connection with the settings that a step needs. {@link #restore} sets it back to what it was.
 *
 * @param isolation what it was; 0 if it was not touched
 * @param networkTimeoutMillis what it was; -1 if it was not touched
 */
public record BorrowedConnection(Connection connection, boolean autoCommit, int isolation, int networkTimeoutMillis) {
    private static final int UNTOUCHED = -1;

    /** Sends nothing that could change a lock, so a failure here proves that nothing happened. */
    public static BorrowedConnection prepare(Connection connection, Dialect dialect, Duration commandTimeout)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (!autoCommit) {
            connection.setAutoCommit(true);
        }
        int isolation = dialect.isolationOfConnection() ? readCommitted(connection) : Connection.TRANSACTION_NONE;
        int timeout = dialect.networked() ? bound(connection, commandTimeout) : UNTOUCHED;
        return new BorrowedConnection(connection, autoCommit, isolation, timeout);
    }

    private static int readCommitted(Connection connection) throws SQLException {
        int before = connection.getTransactionIsolation();
        if (before == Connection.TRANSACTION_READ_COMMITTED) {
            return Connection.TRANSACTION_NONE;
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return before;
    }

    private static int bound(Connection connection, Duration commandTimeout) throws SQLException {
        int before = connection.getNetworkTimeout();
        int wanted = (int) Math.min(Integer.MAX_VALUE, commandTimeout.toMillis());
        if (before > 0 && before <= wanted) {
            return UNTOUCHED;
        }
        connection.setNetworkTimeout(Runnable::run, wanted);
        return before;
    }

    public void restore() throws SQLException {
        if (networkTimeoutMillis != UNTOUCHED) {
            connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
        }
        if (isolation != Connection.TRANSACTION_NONE) {
            connection.setTransactionIsolation(isolation);
        }
        if (!autoCommit) {
            connection.setAutoCommit(false);
        }
    }
}
