package dev.holdfast.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A PostgreSQL with everybody's tables. */
final class Server implements AutoCloseable {
    private final EmbeddedPostgres postgres;
    private final List<HikariDataSource> pools = new ArrayList<>();

    /** @param durable whether commits wait for the disk, as they do in production */
    Server(boolean durable) throws IOException, SQLException {
        String wait = durable ? "on" : "off";
        postgres = EmbeddedPostgres.builder()
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setServerConfig("pg_stat_statements.track_utility", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("fsync", wait)
                .setServerConfig("full_page_writes", wait)
                .setServerConfig("synchronous_commit", wait)
                .start();
        DataSource setup = pool();
        new ResourceDatabasePopulator(
                        new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"))
                .execute(setup);
        try (Connection connection = setup.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION pg_stat_statements");
            statement.execute("CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
                    + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
        }
    }

    /** One for each client, all alike. */
    DataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.getJdbcUrl("postgres", "postgres"));
        config.setMaximumPoolSize(8);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    @Override
    public void close() throws IOException {
        pools.forEach(HikariDataSource::close);
        postgres.close();
    }
}
