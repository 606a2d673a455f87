package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A fence for a resource that lives in a database: a row that remembers the newest tokens, raised and checked in your own
 * transactions. Works with tokens of any backend, and needs only its own table.
 *
 * <pre>{@code
 * SqlFence fence = SqlFence.of("account-7");
 * fence.announce(connection, lease.token());     // before the first read; then commit
 * fence.check(connection, lease.token());        // first in each transaction that writes
 * }</pre>
 *
 * <p>The row stays locked until the transaction ends, so nobody can announce a newer token between the check and the
 * commit. Each call is one statement, except the first one for a resource. Immutable, and safe for use by many threads;
 * the connection is yours.
 */
public final class SqlFence {
    // Lasting data of users: the table has no version, and nothing here looks at that of the locks' tables. A change of
    // those must never make a guard forget the newest token.
    private static final GuardTable.Columns COLUMNS =
            new GuardTable.Columns("holdfast_guard", "resource", "token", "reader", "generation");
    private static final int MOST_BYTES = 512;
    private static final int MOST_ROUNDS = 5;
    private static final String UNIQUE_VIOLATION = "23505";

    private final String resource;
    private final byte[] key;
    private final int generation;

    private SqlFence(String resource, byte[] key, int generation) {
        this.resource = resource;
        this.key = key;
        this.generation = GuardState.requireGeneration(generation);
    }

    /**
     * The fence of this resource. Does no I/O.
     *
     * @throws IllegalArgumentException if the name is empty or has more than 512 bytes of UTF-8
     */
    public static SqlFence of(String resource) {
        Objects.requireNonNull(resource, "resource");
        byte[] key = Tables.bytes(resource);
        if (key.length == 0 || key.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "A resource is named by 1 to " + MOST_BYTES + " bytes of UTF-8, this has " + key.length);
        }
        return new SqlFence(resource, key, 0);
    }

    /**
     * The same fence, for tokens of this generation: those of the lock store that is used since the fence was moved there.
     * They are refused until {@link #move} has been called. Does no I/O.
     */
    public SqlFence withGeneration(int other) {
        return new SqlFence(resource, key, other);
    }

    /** Creates the tables where they are missing: one for the tokens, one for the record of moves. Blocks. Or hand {@link #ddl} to a migration tool. */
    public static void createTable(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            for (String statement : GuardTable.ddlStatements(Database.of(connection))) {
                Sql.execute(connection, statement);
            }
        } catch (SQLException e) {
            throw Errors.masked(e);
        }
    }

    /** What {@link #createTable} would run: the file {@code META-INF/holdfast/NAME-guard.sql} of the jar. */
    public static String ddl(Database database) {
        return GuardTable.ddl(database);
    }

    /**
     * Makes this token the newest, in the transaction of this connection: it counts once you commit. Call it before the
     * first read; otherwise a stale write can slip in between your read and your write.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was changed, roll back
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; nothing was changed, roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void announce(Connection connection, FencingToken token) throws SQLException {
        check(connection, token);
    }

    /**
     * As {@link #announce}, with the token of somebody who only reads ({@code readWriteLock(..).read()}): refused by a newer
     * writer's token only. Readers never refuse each other; writers with older tokens are refused from now on. Commit soon: the
     * row stays locked until then.
     *
     * @throws StaleTokenException if a newer token of a writer was seen; nothing was changed, roll back
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; nothing was changed, roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void announceRead(Connection connection, FencingToken token) throws SQLException {
        raise(connection, token, true);
    }

    /**
     * Refuses a token that is no longer the newest, and keeps newer ones out until this transaction ends. Make it the first
     * statement of each transaction that writes.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was changed, roll back
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; nothing was changed, roll back
     * @throws IllegalStateException if the connection commits by itself: then the check would be over before your write
     */
    public void check(Connection connection, FencingToken token) throws SQLException {
        raise(connection, token, false);
    }

    private void raise(Connection connection, FencingToken token, boolean read) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The fence of '" + resource + "' has to be checked in the transaction that"
                            + " writes, and this connection commits each statement by itself: call setAutoCommit(false) first.");
        }
        try {
            raiseMark(connection, token, read);
        } catch (SQLException e) {
            throw GuardTable.withRemedy(connection, e);
        }
    }

    /**
     * What the fence has seen, and how it was moved. Empty: nobody has presented a token yet. Changes nothing; works with and
     * without a transaction.
     */
    public Optional<GuardState> inspect(Connection connection) throws SQLException {
        try {
            List<Seen> rows = seen(connection, "");
            if (rows.isEmpty()) {
                return Optional.empty();
            }
            Seen seen = rows.get(0);
            return Optional.of(GuardTable.state(connection, seen.generation(), seen.newest(), "", key));
        } catch (SQLException e) {
            throw GuardTable.withRemedy(connection, e);
        }
    }

    /**
     * Moves the fence to the tokens of another lock store, which may be smaller: once you commit, it accepts only tokens of
     * that generation ({@link #withGeneration}) and refuses all earlier ones, whatever their size. The move is recorded in
     * the same transaction. docs/fencing.md has the order of steps.
     *
     * @param shown what {@link #inspect} returned: the fence is moved only if nothing was announced or moved since
     * @param by who does it; recorded
     * @return false if the fence is not as it was shown; nothing was changed
     * @throws IllegalArgumentException if the generation is not later than the one that was shown
     * @throws IllegalStateException if the connection commits by itself
     */
    public boolean move(Connection connection, GuardState shown, int toGeneration, String by) throws SQLException {
        GuardMove move = GuardMove.of(shown, toGeneration, by, Instant.now());
        try {
            return GuardTable.move(connection, COLUMNS, key, "", key, move);
        } catch (SQLException e) {
            throw GuardTable.withRemedy(connection, e);
        }
    }

    /**
     * A row of the table: two marks, because readers do not refuse each other.
     *
     * @param writer the newest token of a writer
     * @param reader the newest token of a reader
     */
    private record Seen(long writer, long reader, int generation) {
        long newest() {
            return Math.max(writer, reader);
        }
    }

    private List<Seen> seen(Connection connection, String forUpdate) throws SQLException {
        return Sql.query(
                connection,
                "SELECT token, reader, generation FROM holdfast_guard WHERE resource = ?" + forUpdate,
                row -> new Seen(row.getLong(1), row.getLong(2), row.getInt(3)),
                key);
    }

    private void raiseMark(Connection connection, FencingToken token, boolean read) throws SQLException {
        long value = token.value();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if ((read ? raiseReader(connection, value) : raiseWriter(connection, value)) > 0) {
                return;
            }
            // Stale, or of another generation, or nobody was here before. Some drivers also count a row that did not
            // change as none.
            Dialect dialect = Database.of(connection).dialect();
            List<Seen> rows = seen(connection, dialect.forUpdate());
            if (rows.isEmpty()) {
                insertIfAbsent(connection, read ? 0 : value, read ? value : 0);
                continue;
            }
            Seen seen = rows.get(0);
            long refusing = read ? seen.writer() : seen.newest();
            if (seen.generation() != generation) {
                throw new WrongGenerationException(resource, token, generation, seen.generation());
            } else if (refusing > value) {
                throw new StaleTokenException(resource, token, new FencingToken(refusing));
            } else if ((read ? seen.reader() : seen.writer()) >= value) {
                return;
            }
        }
        throw new SQLException(
                "The fence row of '" + resource + "' comes and goes while it is checked: does anybody delete"
                        + " from holdfast_guard? Its rows must stay, or stale tokens pass.");
    }

    private int raiseWriter(Connection connection, long token) throws SQLException {
        String raise = "UPDATE holdfast_guard SET token = ? WHERE resource = ? AND token <= ? AND reader <= ?"
                + " AND generation = ?";
        return Sql.update(connection, raise, token, key, token, token, generation);
    }

    private int raiseReader(Connection connection, long token) throws SQLException {
        String raise = "UPDATE holdfast_guard SET reader = CASE WHEN reader < ? THEN ? ELSE reader END"
                + " WHERE resource = ? AND token <= ? AND generation = ?";
        return Sql.update(connection, raise, token, token, key, token, generation);
    }

    /** Whether it was us or somebody else at the same moment, the next round finds the row. */
    private void insertIfAbsent(Connection connection, long writer, long reader) throws SQLException {
        String plain = "INSERT INTO holdfast_guard (resource, token, reader, generation) VALUES (?, ?, ?, ?)";
        String sql = switch (Database.of(connection)) {
            case POSTGRESQL, SQLITE -> plain + " ON CONFLICT DO NOTHING";
            case MARIADB -> plain.replaceFirst("INSERT", "INSERT IGNORE");
            case H2 ->
                "MERGE INTO holdfast_guard g USING (VALUES (CAST(? AS VARBINARY), CAST(? AS BIGINT), CAST(? AS BIGINT),"
                        + " CAST(? AS INT))) v(r, t, o, n) ON g.resource = v.r WHEN NOT MATCHED THEN INSERT"
                        + " (resource, token, reader, generation) VALUES (v.r, v.t, v.o, v.n)";
        };
        try {
            Sql.update(connection, sql, key, writer, reader, generation);
        } catch (SQLException e) {
            // H2's MERGE waits for an insert that is not committed yet, and then fails instead of finding the row.
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    @Override
    public String toString() {
        return "SqlFence of '" + resource + "'";
    }
}
