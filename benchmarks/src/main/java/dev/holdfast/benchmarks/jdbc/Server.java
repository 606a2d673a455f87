package dev.holdfast.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.benchmarks.sidebyside.Store;
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
final class Server implements Store {
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
        HikariDataSource pool = pool(urls().get(0));
        pools.add(pool);
        return pool;
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }

    @Override
    public List<String> urls() {
        return List.of(postgres.getJdbcUrl("postgres", "postgres"));
    }

    /** Statements, those of Holdfast's listening connection included. */
    @Override
    public long requests() throws SQLException {
        return new Statements(pools.get(0)).count();
    }

    @Override
    public void close() throws IOException {
        pools.forEach(HikariDataSource::close);
        postgres.close();
    }
}
