package dev.holdfast.spring.boot;

import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.spring.FencedDataSourceCheck;
import dev.holdfast.spring.boot.HoldfastProperties.InitializeSchema;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Stops an application whose fenced methods find no guard table, or creates it if asked to. */
final class GuardTablesCheck implements FencedDataSourceCheck {
    private final InitializeSchema mode;

    GuardTablesCheck(InitializeSchema mode) {
        this.mode = mode;
    }

    @Override
    public void check(DataSource dataSource) {
        try {
            if (mode == InitializeSchema.ALWAYS) {
                SqlFence.createTable(dataSource);
            }
            look(dataSource);
        } catch (SQLException e) {
            throw new HoldfastStartupException(
                    "Methods with @Locked(fenced = true) cannot use their database: " + e.getMessage(),
                    "If its tables are missing, add META-INF/holdfast/<database>-guard.sql of holdfast-jdbc to the"
                            + " application's migrations, or set holdfast.jdbc.initialize-schema to always.",
                    e);
        }
    }

    private static void look(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            var unused = SqlFence.of("holdfast start-up check").inspect(connection);
        }
    }
}
