package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Writes whole rows of the lock table, in a transaction of {@link ScriptedSteps}. */
final class LockRows {
    private final BucketTransactions transactions;

    LockRows(BucketTransactions transactions) {
        this.transactions = transactions;
    }

    void insert(Connection connection, String name, Row given) throws SQLException {
        transactions.update(
                connection,
                "INSERT INTO holdfast_lock (" + Row.COLUMNS + ", name) VALUES (" + Sql.marks(Row.WIDTH + 1) + ")",
                values(given, Tables.bytes(name)));
    }

    /** The row must still be what we looked at, or have been renewed by the owner that gives it up. */
    void replace(Connection connection, String name, Row before, Row given) throws SQLException {
        boolean expired = before.isOver(given.grantedMicros());
        int changed = transactions.update(
                connection,
                "UPDATE holdfast_lock SET owner = ?, token = ?, tokens = ?, granted_at = ?, expires_at = ?, kind = ?,"
                        + " notes = ?, host = ?, pid = ?, description = ? WHERE name = ? AND owner = ? AND token = ?"
                        + (expired ? " AND expires_at <= " + given.grantedMicros() : ""),
                values(given, Tables.bytes(name), before.owner(), before.token()));
        if (changed == 0) {
            throw new Collision("the lock was renewed or swept while it was being handed on");
        }
    }

    private static Object[] values(Row row, Object... more) {
        List<Object> all = row.values();
        all.addAll(List.of(more));
        return all.toArray();
    }
}
