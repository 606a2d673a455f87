package dev.holdfast.spring.boot;

import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spring.boot.HoldfastProperties.InitializeSchema;
import javax.sql.DataSource;

/** Locks in tables of the application's database. */
final class JdbcBackends {
    private JdbcBackends() {}

    static LockBackend over(DataSource dataSource, HoldfastProperties properties) {
        try {
            return connect(JdbcBackend.over(dataSource), properties.jdbc());
        } catch (IllegalArgumentException e) {
            throw new HoldfastStartupException(
                    String.valueOf(e.getMessage()),
                    "Use another database, or set holdfast.backend or holdfast.url to another store.",
                    e);
        }
    }

    static LockBackend connect(JdbcBackend.Builder builder, HoldfastProperties.Jdbc jdbc) {
        Setting.apply("holdfast.jdbc.table-prefix", jdbc.tablePrefix(), builder::tablePrefix);
        Setting.apply("holdfast.jdbc.command-timeout", jdbc.commandTimeout(), builder::commandTimeout);
        Setting.apply("holdfast.jdbc.connections", jdbc.connections(), builder::connections);
        if (jdbc.initializeSchema() == InitializeSchema.ALWAYS) {
            builder.createTables();
        }
        return builder.connect();
    }
}
