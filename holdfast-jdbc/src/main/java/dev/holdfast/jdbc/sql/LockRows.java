package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

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
        Object[] all = new Object[Row.WIDTH + more.length];
        all[0] = row.owner();
        all[1] = row.token();
        all[2] = row.tokens();
        all[3] = row.grantedMicros();
        all[4] = row.expiresMicros();
        all[5] = row.kind();
        all[6] = row.notes();
        all[7] = row.holder().host();
        all[8] = row.holder().pid();
        all[9] = row.holder().description();
        System.arraycopy(more, 0, all, Row.WIDTH, more.length);
        return all;
    }
}
