package dev.holdfast.jdbc.sql;

import dev.holdfast.jdbc.sql.ShareChanges.Write;
import dev.holdfast.jdbc.sql.ShareQueries.Seen;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two requests for each step: the driver sends BEGIN, the mutex and the questions together, and then what is written with
 * COMMIT. Each statement has a snapshot of its own, so what is seen is seen after the wait for the mutex.
 */
final class PostgreSqlShares implements ShareTransactions {
    private final Tables tables;
    private final ShareTransactions plain;
    private final String begin;
    private final String newBucket;

    /** @param plain for what needs no transaction */
    PostgreSqlShares(Dialect dialect, Tables tables, ShareTransactions plain) {
        this.tables = tables;
        this.plain = plain;
        ShareQueries queries = new ShareQueries(dialect, tables);
        begin = tables.in("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
                + " SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR NO KEY UPDATE; " + queries.shares + "; "
                + queries.queue);
        newBucket = tables.in("INSERT INTO holdfast_fence (bucket, counter) VALUES (?, 0) ON CONFLICT DO NOTHING");
    }

    @Override
    public ShareLook look(Connection connection, String key) throws SQLException {
        return plain.look(connection, key);
    }

    @Override
    public <T> T run(Connection connection, String key, Decision<T> decision) throws SQLException {
        try {
            ShareLook look = begin(connection, key);
            if (look == null) {
                // There was no row, so nothing is locked.
                Sql.execute(connection, "ROLLBACK");
                Sql.update(connection, newBucket, Tables.bucket(key));
                look = begin(connection, key);
            }
            if (look == null) {
                throw new SQLException(
                        "The row of bucket " + Tables.bucket(key) + " is missing, and inserting it did not help");
            }
            ShareChanges changes = new ShareChanges(key, look);
            T made = decision.make(look, changes);
            finish(connection, key, changes);
            return made;
        } catch (SQLException | RuntimeException e) {
            rollBack(connection, e);
            throw e;
        }
    }

    /** Null if the bucket has no row, and so no mutex. */
    private @Nullable ShareLook begin(Connection connection, String key) throws SQLException {
        byte[] name = Tables.bytes(key);
        int bucket = Tables.bucket(key);
        try (PreparedStatement statement = connection.prepareStatement(begin)) {
            Sql.bind(statement, bucket, name, name, bucket, name);
            statement.execute();
            // Past BEGIN.
            statement.getMoreResults();
            // The row may come into being after this one statement and before the next: then it is seen, and not
            // locked.
            boolean locked = statement.getResultSet().next();
            statement.getMoreResults();
            List<Seen> seen = read(statement.getResultSet(), Seen::read);
            statement.getMoreResults();
            List<ShareClaim> queue = read(statement.getResultSet(), ShareClaim::read);
            return locked && !seen.isEmpty() ? ShareQueries.look(seen, queue) : null;
        }
    }

    private static <T> List<T> read(ResultSet rows, Sql.Reader<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        while (rows.next()) {
            all.add(reader.read(rows));
        }
        return all;
    }

    /** What depends on how many rows were changed is committed by a request of its own. */
    private void finish(Connection connection, String key, ShareChanges changes) throws SQLException {
        List<Write> all = new ArrayList<>(changes.writes());
        String hex = HexFormat.of().formatHex(Tables.bytes(key));
        for (String inbox : ShareTransactions.inboxes(changes)) {
            all.add(new Write("SELECT pg_notify(?, ?)", Write.ANY, List.of(inbox, hex)));
        }
        boolean atOnce = all.stream().noneMatch(each -> each.rows() != Write.ANY);
        if (atOnce) {
            all.add(new Write("COMMIT", Write.ANY, List.of()));
        }
        write(connection, all);
        if (!atOnce) {
            Sql.execute(connection, "COMMIT");
        }
    }

    private void write(Connection connection, List<Write> all) throws SQLException {
        String sql = all.stream().map(each -> tables.in(each.sql())).collect(Collectors.joining("; "));
        Object[] parameters =
                all.stream().flatMap(each -> each.parameters().stream()).toArray();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Sql.bind(statement, parameters);
            statement.execute();
            for (Write each : all) {
                each.requireChanged(statement.getUpdateCount());
                statement.getMoreResults();
            }
        }
    }

    private static void rollBack(Connection connection, Exception because) {
        try {
            Sql.execute(connection, "ROLLBACK");
        } catch (SQLException alsoBroken) {
            // The connection is gone, and the transaction with it.
            because.addSuppressed(alsoBroken);
        }
    }
}
