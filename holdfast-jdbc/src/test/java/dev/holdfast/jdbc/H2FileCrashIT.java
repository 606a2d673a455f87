package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Severity;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One of the processes that share an H2 file serves it to the others. It may be the one that dies. */
@Timeout(240)
class H2FileCrashIT {
    @TempDir
    Path directory;

    private String url(String settings) {
        return "jdbc:h2:file:" + directory.resolve("locks") + ";AUTO_SERVER=TRUE" + settings;
    }

    @AfterEach
    void close() {
        Databases.closeFile(url(""), directory.resolve("locks"));
    }

    @Test
    void aLockSurvivesTheProcessThatServedTheFile() throws Exception {
        // Another process opens the file first, so it serves it. We acquire through it, and it is killed at once.
        String url = url(";WRITE_DELAY=0");
        for (int round = 0; round < 2; round++) {
            Process server = serve(url);
            // H2 waits for seconds before it takes the file over from a process that is gone.
            JdbcBackend backend = JdbcBackend.over(Databases.unpooled(url))
                    .commandTimeout(Duration.ofSeconds(30))
                    .createTables()
                    .connect();
            try (Holdfast holdfast = Holdfast.builder(backend)
                    .unavailableAfter(Duration.ofSeconds(30))
                    .build()) {
                // Longer than it takes to open the file again.
                Lease lease = holdfast.lock("survivor-" + round)
                        .withLease(Duration.ofMinutes(1))
                        .acquire(Duration.ofSeconds(60));
                server.destroyForcibly().waitFor();
                assertThat(holdfast.inspect("survivor-" + round))
                        .hasValueSatisfying(
                                state -> assertThat(state.tokens().last().value())
                                        .isGreaterThanOrEqualTo(lease.token().value()));
                lease.close();
            } finally {
                server.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void aFileThatIsWrittenWithDelayIsFoundDangerous() throws Exception {
        // The default of H2: what was committed in the last half second is lost with the process that serves the file.
        try (Connection keepsOpen = DriverManager.getConnection(url(""));
                Holdfast holdfast = Holdfast.over(
                        JdbcBackend.over(Databases.unpooled(url(""))).connect())) {
            assertThat(keepsOpen.isValid(1)).isTrue();
            assertThat(holdfast.diagnose()).extracting(Finding::severity).containsExactly(Severity.DANGER);
        }
        try (Holdfast holdfast = Holdfast.over(
                JdbcBackend.over(Databases.unpooled(url(";WRITE_DELAY=0"))).connect())) {
            assertThat(holdfast.diagnose()).isEmpty();
        }
    }

    private static Process serve(String url) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Server.class.getName(),
                        url)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(said.readLine()).isEqualTo("open");
        return process;
    }

    /** Has the file open until it is killed. */
    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws Exception {
            try (Connection connection = DriverManager.getConnection(arguments[0])) {
                System.out.println(connection.isValid(1) ? "open" : "not open");
                System.in.read();
            }
        }
    }
}
