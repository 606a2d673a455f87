package dev.holdfast.jdbc.sql;

import dev.holdfast.jdbc.sql.ShareChanges.Write;
import dev.holdfast.jdbc.sql.ShareQueries.Seen;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One statement after the other. */
final class ScriptedShares implements ShareTransactions {
    private final Steps.Notifier teller;
    private final BucketTransactions transactions;
    private final ShareQueries queries;
    private final String now;

    ScriptedShares(Dialect dialect, Tables tables, BucketTransactions transactions, Steps.Notifier teller) {
        this.teller = teller;
        this.transactions = transactions;
        queries = new ShareQueries(dialect, tables);
        now = "SELECT " + dialect.nowMicros();
    }

    @Override
    public <T> T run(Connection connection, String key, Decision<T> decision) throws SQLException {
        List<String> inboxes = new ArrayList<>();
        T result = transactions.inBucket(connection, Tables.bucket(key), () -> {
            ShareLook look = lookInBucket(connection, key);
            ShareChanges changes = new ShareChanges(key, look);
            T made = decision.make(look, changes);
            for (Write each : changes.writes()) {
                each.requireChanged(transactions.update(
                        connection, each.sql(), each.parameters().toArray()));
            }
            inboxes.addAll(ShareTransactions.inboxes(changes));
            return made;
        });
        // After the commit: whoever is told asks at once, and must find it.
        inboxes.forEach(inbox -> teller.tell(inbox, key));
        return result;
    }

    @Override
    public ShareLook look(Connection connection, String key) throws SQLException {
        List<Seen> seen = see(connection, key);
        if (seen.isEmpty()) {
            long micros = Sql.query(connection, now, row -> row.getLong(1)).get(0);
            return new ShareLook(micros, 0, List.of(), List.of());
        }
        return look(connection, key, seen);
    }

    private ShareLook lookInBucket(Connection connection, String key) throws SQLException {
        List<Seen> seen = see(connection, key);
        if (seen.isEmpty()) {
            transactions.addBucket(connection, Tables.bucket(key));
            seen = see(connection, key);
        }
        return look(connection, key, seen);
    }

    private ShareLook look(Connection connection, String key, List<Seen> seen) throws SQLException {
        List<ShareClaim> queue = seen.get(0).queue() == 0
                ? List.of()
                : Sql.query(connection, queries.queue, ShareClaim::read, (Object) Tables.bytes(key));
        return ShareQueries.look(seen, queue);
    }

    private List<Seen> see(Connection connection, String key) throws SQLException {
        byte[] name = Tables.bytes(key);
        return Sql.query(connection, queries.shares, Seen::read, name, name, Tables.bucket(key));
    }
}
