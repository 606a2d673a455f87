package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import dev.holdfast.jdbc.SqlFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Newest tokens in a database, in the table of {@link SqlFence}; needs {@code holdfast-jdbc}. Each request takes one connection
 * for one short transaction, before the handler runs. A handler that writes to the same database should check again, in its own
 * transaction: {@link PresentedToken#checkIn}. Blocks as the data source does.
 */
public final class SqlTokenGuard implements TokenGuard {
    private final DataSource dataSource;

    private SqlTokenGuard(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** Over connections of yours. The table is made by {@code SqlFence.createTable}. */
    public static SqlTokenGuard over(DataSource dataSource) {
        return new SqlTokenGuard(dataSource);
    }

    @Override
    public void announce(String resource, TokenHeader presented) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean committedByItself = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                check(connection, resource, presented);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                rollBack(connection, e);
                throw e;
            } finally {
                connection.setAutoCommit(committedByItself);
            }
        }
    }

    static void check(Connection connection, String resource, TokenHeader presented) throws SQLException {
        SqlFence.of(resource).withGeneration(presented.generation()).check(connection, presented.token());
    }

    private static void rollBack(Connection connection, Exception because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public String toString() {
        return "SqlTokenGuard";
    }
}
