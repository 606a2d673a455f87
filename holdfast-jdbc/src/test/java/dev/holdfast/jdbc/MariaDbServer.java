package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.tck.ServerPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The machine's MariaDB on a directory of its own. Its path is the system property holdfast.mariadb. */
final class MariaDbServer implements BeforeAllCallback, AfterAllCallback {
    private final Path binary = Path.of(System.getProperty("holdfast.mariadb", ""));
    private Path directory;
    private int port;
    private Process process;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        directory = Files.createTempDirectory("holdfast-mariadb");
        port = ServerPorts.next();
        Files.createDirectory(directory.resolve("data"));
        start();
        // Its files are made; a kill before they are written out once would leave nothing to recover.
        process.destroy();
        process.waitFor();
        start();
        JdbcBackend.createTables(Databases.unpooled(url()));
    }

    /** Starts it, and waits until it answers. */
    void start() throws IOException {
        process = run(List.of(
                binary.toString(),
                "--no-defaults",
                // Then it needs no system tables, and no program to make them.
                "--skip-grant-tables",
                "--datadir=" + directory.resolve("data"),
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--max-connections=200",
                "--innodb-buffer-pool-size=64M",
                "--user=" + System.getProperty("user.name")));
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(this::answers);
    }

    /** As by the power switch. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private boolean answers() throws SQLException {
        String root = "jdbc:mariadb://127.0.0.1:" + port + "/?user=root&sslMode=disable&connectTimeout=2000";
        try (Connection connection = DriverManager.getConnection(root)) {
            Sql.execute(connection, "CREATE DATABASE IF NOT EXISTS locks");
            return true;
        } catch (SQLException e) {
            assertThat(process.isAlive()).as("mariadbd runs").isTrue();
            return false;
        }
    }

    private Process run(List<String> command) throws IOException {
        return new ProcessBuilder(new ArrayList<>(command))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        kill();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    int port() {
        return port;
    }

    String url() {
        return url(port);
    }

    String url(int anyPort) {
        return "jdbc:mariadb://127.0.0.1:" + anyPort + "/locks?user=root&sslMode=disable";
    }
}
