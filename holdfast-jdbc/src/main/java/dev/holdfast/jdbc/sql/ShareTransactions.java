package dev.holdfast.jdbc.sql;

import dev.holdfast.jdbc.sql.ShareChanges.Write;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Transactions of {@link SharedSteps}: the bucket's mutex, a look at the key, a decision, and what it writes. */
final class ShareTransactions {
    /** Computes from what was seen what is to be done. Does no I/O. */
    interface Decision<T> {
        T make(ShareLook look, ShareChanges changes);
    }

    private record Seen(long nowMicros, long counter, int queue, Stream<Share> share) {}

    private final Dialect dialect;
    private final Steps.Notifier teller;
    private final BucketTransactions transactions;
    private final String shares;
    private final String queue;

    ShareTransactions(Dialect dialect, Tables tables, BucketTransactions transactions, Steps.Notifier teller) {
        this.dialect = dialect;
        this.teller = teller;
        this.transactions = transactions;
        shares = tables.in("SELECT " + dialect.nowMicros() + ", f.counter,"
                + " (SELECT count(*) FROM holdfast_share_queue q WHERE q.name = ?), s.slot, "
                + Row.columnsOf("s")
                + " FROM holdfast_fence f LEFT JOIN holdfast_share s ON s.name = ? WHERE f.bucket = ?");
        queue = tables.in("SELECT " + ShareClaim.COLUMNS + " FROM holdfast_share_queue WHERE name = ? ORDER BY place");
    }

    <T> T run(Connection connection, String key, Decision<T> decision) throws SQLException {
        List<String> inboxes = new ArrayList<>();
        T result = transactions.inBucket(connection, Tables.bucket(key), () -> {
            ShareLook look = lookInBucket(connection, key);
            ShareChanges changes = new ShareChanges(key, look);
            T made = decision.make(look, changes);
            for (Write each : changes.writes()) {
                apply(connection, each);
            }
            changes.told().stream()
                    .map(ShareClaim::inbox)
                    .filter(inbox -> !inbox.isEmpty())
                    .distinct()
                    .forEach(inboxes::add);
            for (String inbox : inboxes) {
                dialect.tell(connection, inbox, key);
            }
            return made;
        });
        // After the commit: whoever is told asks at once, and must find it.
        inboxes.forEach(inbox -> teller.tell(inbox, key));
        return result;
    }

    private void apply(Connection connection, Write write) throws SQLException {
        int changed =
                transactions.update(connection, write.sql(), write.parameters().toArray());
        if (write.rows() >= 0 && changed != write.rows()) {
            throw new Collision("something was renewed or swept while it was being handed on");
        }
    }

    /** Without the mutex: to be shown, or to be compared with what is seen under it. Changes nothing. */
    ShareLook look(Connection connection, String key) throws SQLException {
        List<Seen> seen = see(connection, key);
        if (seen.isEmpty()) {
            long now = Sql.query(connection, "SELECT " + dialect.nowMicros(), row -> row.getLong(1))
                    .get(0);
            return new ShareLook(now, 0, List.of(), List.of());
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
        Seen first = seen.get(0);
        List<ShareClaim> waiting = first.queue() == 0
                ? List.of()
                : Sql.query(connection, queue, ShareClaim::read, (Object) Tables.bytes(key));
        List<Share> all = seen.stream().flatMap(Seen::share).toList();
        return new ShareLook(first.nowMicros(), first.counter(), all, waiting);
    }

    private List<Seen> see(Connection connection, String key) throws SQLException {
        byte[] name = Tables.bytes(key);
        return Sql.query(connection, shares, ShareTransactions::read, name, name, Tables.bucket(key));
    }

    private static Seen read(ResultSet row) throws SQLException {
        return new Seen(row.getLong(1), row.getLong(2), row.getInt(3), Stream.ofNullable(Share.read(row, 4)));
    }
}
