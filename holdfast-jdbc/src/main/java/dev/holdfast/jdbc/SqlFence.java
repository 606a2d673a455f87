package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.Dialect.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * A fence for a resource that lives in a database: a row that remembers the newest token, raised and checked in your own
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
    private static final Tables TABLES = new Tables(Tables.DEFAULT_PREFIX);
    private static final int MOST_BYTES = 512;
    private static final int MOST_ROUNDS = 5;

    private final String resource;
    private final byte[] key;

    private SqlFence(String resource, byte[] key) {
        this.resource = resource;
        this.key = key;
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
        return new SqlFence(resource, key);
    }

    /** Creates the table where it is missing. Blocks. Or hand {@link #ddl} to a migration tool. */
    public static void createTable(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            for (String statement : TABLES.ddlStatements(ddlName(Database.of(connection)))) {
                Sql.execute(connection, statement);
            }
        }
    }

    /** What {@link #createTable} would run: the file {@code META-INF/holdfast/NAME-guard.sql} of the jar. */
    public static String ddl(Database database) {
        return TABLES.ddl(ddlName(database));
    }

    /**
     * Makes this token the newest, in the transaction of this connection: it counts once you commit. Call it before the
     * first read; otherwise a stale write can slip in between your read and your write.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was changed, roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void announce(Connection connection, FencingToken token) throws SQLException {
        check(connection, token);
    }

    /**
     * Refuses a token that is no longer the newest, and keeps newer ones out until this transaction ends. Make it the first
     * statement of each transaction that writes.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was changed, roll back
     * @throws IllegalStateException if the connection commits by itself: then the check would be over before your write
     */
    public void check(Connection connection, FencingToken token) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The fence of '" + resource + "' has to be checked in the transaction that"
                            + " writes, and this connection commits each statement by itself: call setAutoCommit(false) first.");
        }
        try {
            raise(connection, token);
        } catch (SQLException e) {
            throw withRemedy(connection, e);
        }
    }

    private void raise(Connection connection, FencingToken token) throws SQLException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            String raise = "UPDATE holdfast_guard SET token = ? WHERE resource = ? AND token <= ?";
            if (Sql.update(connection, raise, token.value(), key, token.value()) > 0) {
                return;
            }
            // Stale, or nobody was here before. Some drivers also count a row that did not change as none.
            Dialect dialect = Database.of(connection).dialect();
            List<Long> newest = Sql.query(
                    connection,
                    "SELECT token FROM holdfast_guard WHERE resource = ?" + dialect.forUpdate(),
                    row -> row.getLong(1),
                    key);
            if (newest.isEmpty()) {
                insertIfAbsent(connection, token);
            } else if (newest.get(0) > token.value()) {
                throw new StaleTokenException(resource, token, new FencingToken(newest.get(0)));
            } else if (newest.get(0) == token.value()) {
                return;
            }
        }
        throw new SQLException(
                "The fence row of '" + resource + "' comes and goes while it is checked: does anybody delete"
                        + " from holdfast_guard? Its rows must stay, or stale tokens pass.");
    }

    /** Whether it was us or somebody else at the same moment, the next round finds the row. */
    private void insertIfAbsent(Connection connection, FencingToken token) throws SQLException {
        String plain = "INSERT INTO holdfast_guard (resource, token) VALUES (?, ?)";
        String sql = switch (Database.of(connection)) {
            case POSTGRESQL, SQLITE -> plain + " ON CONFLICT DO NOTHING";
            case MARIADB -> plain.replaceFirst("INSERT", "INSERT IGNORE");
            case H2 ->
                "MERGE INTO holdfast_guard g USING (VALUES (CAST(? AS VARBINARY), CAST(? AS BIGINT))) v(r, t)"
                        + " ON g.resource = v.r WHEN NOT MATCHED THEN INSERT VALUES (v.r, v.t)";
        };
        Sql.update(connection, sql, key, token.value());
    }

    private static SQLException withRemedy(Connection connection, SQLException failure) throws SQLException {
        Database database = Database.of(connection);
        if (database.dialect().judge(failure) != Verdict.NO_TABLES) {
            return failure;
        }
        return new SQLException(
                "The table of SqlFence is missing (" + failure.getMessage()
                        + "). Call SqlFence.createTable(dataSource), or run this:\n" + ddl(database),
                failure.getSQLState(),
                failure.getErrorCode(),
                failure);
    }

    private static String ddlName(Database database) {
        return database.dialect().ddlName() + "-guard";
    }

    @Override
    public String toString() {
        return "SqlFence of '" + resource + "'";
    }
}
