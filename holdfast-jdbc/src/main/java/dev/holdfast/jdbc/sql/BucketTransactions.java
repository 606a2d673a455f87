package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Transactions of {@link ScriptedSteps}. Those that change an owner or a queue lock the row of the name's bucket first. */
final class BucketTransactions {
    /** What is done inside. */
    interface Body<T> {
        T run() throws SQLException;
    }

    private final Dialect dialect;
    private final Tables tables;
    // Before each statement that may wait for a row: an answer has to come before the network's timeout.
    private final String lockWait;

    BucketTransactions(Dialect dialect, Tables tables, Duration commandTimeout) {
        this.dialect = dialect;
        this.tables = tables;
        this.lockWait = dialect.lockWait(commandTimeout.dividedBy(2));
    }

    /** With the bucket's mutex, where the transaction itself is not one for the whole database. */
    <T> T inBucket(Connection connection, int bucket, Body<T> body) throws SQLException {
        return run(connection, () -> {
            if (!dialect.forUpdate().isEmpty()) {
                lock(connection, bucket);
            }
            return body.run();
        });
    }

    private void lock(Connection connection, int bucket) throws SQLException {
        List<Integer> found = Sql.query(
                connection,
                lockWait + tables.in("SELECT bucket FROM holdfast_fence WHERE bucket = ?" + dialect.forUpdate()),
                row -> row.getInt(1),
                bucket);
        if (found.isEmpty()) {
            addBucket(connection, bucket);
        }
    }

    void addBucket(Connection connection, int bucket) throws SQLException {
        try {
            update(connection, "INSERT INTO holdfast_fence (bucket, counter) VALUES (?, 0)", bucket);
        } catch (SQLException e) {
            if (Sql.isDuplicate(e)) {
                throw new Collision("somebody else has just added the bucket");
            }
            throw e;
        }
    }

    int update(Connection connection, String sql, Object... parameters) throws SQLException {
        return Sql.update(connection, lockWait + tables.in(sql), parameters);
    }

    <T> T run(Connection connection, Body<T> body) throws SQLException {
        dialect.begin(connection);
        try {
            T result = body.run();
            dialect.commit(connection);
            return result;
        } catch (SQLException | RuntimeException e) {
            rollBack(connection, e);
            throw e;
        }
    }

    private void rollBack(Connection connection, Exception because) {
        try {
            dialect.rollback(connection);
        } catch (SQLException alsoBroken) {
            // The connection is gone, and the transaction with it.
            because.addSuppressed(alsoBroken);
        }
    }
}
