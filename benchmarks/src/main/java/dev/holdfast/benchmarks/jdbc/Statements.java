package dev.holdfast.benchmarks.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What the server itself says it was asked to do. */
final class Statements {
    private final DataSource dataSource;

    Statements(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void reset() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_statements_reset()");
        }
    }

    /** All statements since, BEGIN, COMMIT and SET included. */
    long count() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sum(calls) FROM pg_stat_statements")) {
            row.next();
            return row.getLong(1);
        }
    }
}
