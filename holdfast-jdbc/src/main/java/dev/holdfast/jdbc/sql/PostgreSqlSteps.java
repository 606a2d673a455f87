package dev.holdfast.jdbc.sql;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One request for each step: the driver sends BEGIN, the statements and COMMIT together. Locks that nobody else wants are taken
 * and released with less.
 */
public final class PostgreSqlSteps implements Steps {
    private static final String RENEW = """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            WITH clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)
            UPDATE holdfast_lock l SET expires_at = greatest(l.expires_at, c.now + h.lease)
            FROM clock c, unnest(?::bytea[], ?::text[], ?::bigint[], ?::bigint[]) AS h (name, owner, token, lease)
            WHERE l.name = h.name AND l.owner = h.owner AND l.token = h.token AND l.kind = 'x' AND l.expires_at > c.now
            RETURNING l.owner;
            COMMIT""";

    private final String acquireFree;
    private final String acquire;
    private final String release;
    private final String vacate;
    private final String keep;
    private final String renew;
    private final String newBucket;
    // Names that this process waits for: asking whether they are free and unwanted would be a request for nothing.
    private final Set<String> awaited = ConcurrentHashMap.newKeySet();

    public PostgreSqlSteps(Tables tables) {
        acquireFree = tables.statement("acquire-free.sql");
        acquire = tables.statement("acquire.sql");
        release = tables.statement("release.sql");
        vacate = tables.statement("vacate.sql");
        keep = tables.statement("keep.sql");
        renew = tables.in(RENEW);
        newBucket = tables.in("INSERT INTO holdfast_fence (bucket, counter) VALUES (?, 0) ON CONFLICT DO NOTHING");
    }

    @Override
    public AcquireResult acquire(Connection connection, Claim claim, long notAfterMicros, String inbox)
            throws SQLException {
        if (!awaited.contains(claim.key())) {
            List<AcquireResult> granted = acquireFree(connection, claim, notAfterMicros);
            if (!granted.isEmpty()) {
                return granted.get(0);
            }
        }
        AcquireResult found = acquireAny(connection, claim, notAfterMicros, inbox);
        if (found.queued()) {
            awaited.add(claim.key());
        } else {
            awaited.remove(claim.key());
        }
        return found;
    }

    private List<AcquireResult> acquireFree(Connection connection, Claim claim, long notAfterMicros)
            throws SQLException {
        byte[] name = Tables.bytes(claim.key());
        String owner = claim.owner().toString();
        long lease = PollIntervals.micros(claim.lease());
        Holder holder = claim.holder();
        return Sql.query(
                connection,
                acquireFree,
                row -> {
                    long now = row.getLong(3);
                    Row given = new Row(
                            owner, row.getLong(1), row.getInt(2), now, now + lease, Row.EXCLUSIVE, Notes.NONE, holder);
                    return new AcquireResult(now, false, given, false);
                },
                Tables.bucket(claim.key()),
                name,
                name,
                name,
                owner,
                claim.tokens(),
                lease,
                holder.host(),
                holder.pid(),
                holder.description(),
                notAfterMicros);
    }

    private AcquireResult acquireAny(Connection connection, Claim claim, long notAfterMicros, String inbox)
            throws SQLException {
        int bucket = Tables.bucket(claim.key());
        Holder holder = claim.holder();
        return inBucket(
                connection,
                bucket,
                acquire,
                row -> new AcquireResult(row.getLong(1), row.getBoolean(2), Row.read(row, 3), row.getBoolean(13)),
                bucket,
                Tables.bytes(claim.key()),
                claim.owner(),
                bucket,
                PollIntervals.micros(claim.lease()),
                claim.tokens(),
                claim.queue(),
                inbox,
                Notes.of(claim),
                holder.host(),
                holder.pid(),
                holder.description(),
                notAfterMicros,
                PATIENCE_MICROS,
                CLAIM_WINDOW_MICROS);
    }

    @Override
    public ReleaseResult release(Connection connection, String name, String owner, long token) throws SQLException {
        List<ReleaseResult> released = ask(
                connection, release, row -> new ReleaseResult(row.getBoolean(1), 0), Tables.bytes(name), owner, token);
        return released.isEmpty() ? vacate(connection, name, owner, token) : released.get(0);
    }

    @Override
    public ReleaseResult vacate(Connection connection, String name, String owner, long token) throws SQLException {
        int bucket = Tables.bucket(name);
        awaited.remove(name);
        return inBucket(
                connection,
                bucket,
                vacate,
                row -> new ReleaseResult(row.getBoolean(2), row.getLong(3)),
                bucket,
                Tables.bytes(name),
                owner,
                token,
                bucket,
                CLAIM_WINDOW_MICROS);
    }

    @Override
    public ReleaseResult keep(Connection connection, String name, String owner, long token, long keepMicros)
            throws SQLException {
        int bucket = Tables.bucket(name);
        return inBucket(
                connection,
                bucket,
                keep,
                row -> new ReleaseResult(row.getBoolean(2), row.getBoolean(3) ? keepMicros : 0),
                bucket,
                Tables.bytes(name),
                owner,
                token,
                bucket,
                keepMicros);
    }

    @Override
    public Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        byte[][] names = holdings.stream().map(each -> Tables.bytes(each.key())).toArray(byte[][]::new);
        Object[] owners = holdings.stream().map(each -> each.owner().toString()).toArray();
        Object[] tokens = holdings.stream().map(Holding::lastToken).toArray();
        Object[] leases = holdings.stream()
                .map(each -> PollIntervals.micros(each.lease()))
                .toArray();
        try (PreparedStatement statement = connection.prepareStatement(renew)) {
            statement.setArray(1, array(connection, "bytea", names));
            statement.setArray(2, array(connection, "text", owners));
            statement.setArray(3, array(connection, "bigint", tokens));
            statement.setArray(4, array(connection, "bigint", leases));
            return new HashSet<>(run(connection, statement, row -> row.getString(1)));
        }
    }

    private static Array array(Connection connection, String type, Object[] values) throws SQLException {
        return connection.createArrayOf(type, values);
    }

    /** No answer means that the bucket has no row yet. */
    private <T> T inBucket(Connection connection, int bucket, String sql, Sql.Reader<T> reader, Object... parameters)
            throws SQLException {
        List<T> answer = ask(connection, sql, reader, parameters);
        if (answer.isEmpty()) {
            Sql.update(connection, newBucket, bucket);
            answer = ask(connection, sql, reader, parameters);
        }
        if (answer.isEmpty()) {
            throw new SQLException("The row of bucket " + bucket + " is missing, and inserting it did not help");
        }
        return answer.get(0);
    }

    private static <T> List<T> ask(Connection connection, String sql, Sql.Reader<T> reader, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Sql.bind(statement, parameters);
            return run(connection, statement, reader);
        }
    }

    /** The rows of the last result. A failure in between leaves a transaction behind that has to be ended. */
    private static <T> List<T> run(Connection connection, PreparedStatement statement, Sql.Reader<T> reader)
            throws SQLException {
        try {
            List<T> last = List.of();
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() != -1) {
                if (rows && !isMutex(statement.getResultSet())) {
                    last = readAll(statement.getResultSet(), reader);
                }
                rows = statement.getMoreResults();
            }
            return last;
        } catch (SQLException e) {
            endTransaction(connection, e);
            throw e;
        }
    }

    private static boolean isMutex(ResultSet rows) throws SQLException {
        return rows.getMetaData().getColumnLabel(1).equals("bucket");
    }

    private static <T> List<T> readAll(ResultSet rows, Sql.Reader<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        while (rows.next()) {
            all.add(reader.read(rows));
        }
        return all;
    }

    private static void endTransaction(Connection connection, SQLException because) {
        try {
            Sql.execute(connection, "ROLLBACK");
        } catch (SQLException alsoBroken) {
            // The connection is gone, and the transaction with it.
            because.addSuppressed(alsoBroken);
        }
    }
}
