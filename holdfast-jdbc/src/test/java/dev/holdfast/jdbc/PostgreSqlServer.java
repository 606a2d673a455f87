package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real PostgreSQL for a test class. */
final class PostgreSqlServer implements BeforeAllCallback, AfterAllCallback {
    private Path data;
    private final int port = Databases.freePort();
    private EmbeddedPostgres server;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        data = Files.createTempDirectory("holdfast-postgresql");
        start();
        JdbcBackend.createTables(Databases.unpooled(url()));
    }

    void start() throws IOException {
        server = EmbeddedPostgres.builder()
                .setPort(port)
                .setServerConfig("max_connections", "200")
                .setDataDirectory(data)
                .setPGStartupWait(Duration.ofSeconds(60))
                .setCleanDataDirectory(false)
                .start();
    }

    /** Ends all connections, and what they were doing. */
    void stop() throws IOException {
        server.close();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        stop();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    int port() {
        return server.getPort();
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
