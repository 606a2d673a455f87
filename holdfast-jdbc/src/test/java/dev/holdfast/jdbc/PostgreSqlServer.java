package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real PostgreSQL for a test class. */
final class PostgreSqlServer implements BeforeAllCallback, AfterAllCallback {
    private EmbeddedPostgres server;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "200")
                .start();
        JdbcBackend.createTables(Databases.unpooled(url()));
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        server.close();
    }

    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    DataSource dataSource() {
        return Databases.unpooled(url());
    }

    HikariDataSource pool(int size) {
        return Databases.pool(url(), size);
    }
}
