package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Extends many rows of one table in two statements. Takes no mutex: whoever changes an owner checks again what it saw. */
final class Renewals {
    private final Dialect dialect;
    private final Tables tables;
    private final BucketTransactions transactions;
    private final String table;
    private final String known;

    /** @param known which rows are of a kind that this version knows, as a condition */
    Renewals(Dialect dialect, Tables tables, BucketTransactions transactions, String table, String known) {
        this.dialect = dialect;
        this.tables = tables;
        this.transactions = transactions;
        this.table = table;
        this.known = known;
    }

    /** As {@link Steps#renew}. */
    Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        Map<Long, List<Holding>> byLease = new HashMap<>();
        for (Holding holding : holdings) {
            byLease.computeIfAbsent(PollIntervals.micros(holding.lease()), lease -> new ArrayList<>())
                    .add(holding);
        }
        return transactions.run(connection, () -> {
            // Read once: both statements below must mean the same moment.
            long now = Sql.query(connection, "SELECT " + dialect.nowMicros(), row -> row.getLong(1))
                    .get(0);
            Set<String> renewed = new HashSet<>();
            for (Map.Entry<Long, List<Holding>> each : byLease.entrySet()) {
                renewAlike(connection, each.getKey(), each.getValue(), now, renewed);
            }
            return renewed;
        });
    }

    private void renewAlike(Connection connection, long lease, List<Holding> holdings, long now, Set<String> renewed)
            throws SQLException {
        String marks = Sql.marks(holdings.size());
        String which =
                " WHERE name IN (" + marks + ") AND owner IN (" + marks + ") AND " + known + " AND expires_at > " + now;
        Object[] keys = new Object[2 * holdings.size()];
        Map<String, Long> tokens = new HashMap<>();
        for (int i = 0; i < holdings.size(); i++) {
            Holding holding = holdings.get(i);
            keys[i] = Tables.bytes(holding.key());
            keys[holdings.size() + i] = holding.owner();
            tokens.put(holding.owner().toString(), holding.lastToken());
        }
        long until = now + lease;
        // An owner belongs to one key, so the two lists cannot mix. Never shortens.
        transactions.update(
                connection,
                "UPDATE " + table + " SET expires_at = CASE WHEN expires_at < " + until + " THEN " + until
                        + " ELSE expires_at END" + which,
                keys);
        Sql.query(
                connection,
                tables.in("SELECT owner, token FROM " + table + which),
                // The token too: the same owner may have been granted anew.
                row -> Long.valueOf(row.getLong(2)).equals(tokens.get(row.getString(1)))
                        && renewed.add(row.getString(1)),
                keys);
    }
}
