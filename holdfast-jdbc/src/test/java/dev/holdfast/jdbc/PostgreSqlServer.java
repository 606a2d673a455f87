package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.tck.ServerPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real PostgreSQL for a test class. */
final class PostgreSqlServer implements BeforeAllCallback, AfterAllCallback {
    private Path data;
    private final int port = ServerPorts.next();
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
                .setPGStartupWait(Duration.ofMinutes(2))
                .setCleanDataDirectory(false)
                .start();
    }

    /** Ends all connections, and what they were doing. Returns when the server has written everything out and is gone. */
    void stop() throws IOException {
        server.close();
        // It is waited for there for five seconds only; until it is gone, another one cannot use its files.
        Path running = data.resolve("postmaster.pid");
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.notExists(running));
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
