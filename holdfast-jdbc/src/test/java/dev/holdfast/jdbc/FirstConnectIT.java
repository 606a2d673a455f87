package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.file.SqliteConnections;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.NotSentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first connection is tried for as long as the caller waits, like every later one. */
@Timeout(120)
class FirstConnectIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String URL = "jdbc:h2:mem:first;DB_CLOSE_DELAY=-1";
    private static final String SECRET = "swordfish";

    @Test
    void aDatabaseThatIsNotThereYetIsWaitedFor() throws Exception {
        // The backend is made while the database is down; it comes up while the caller waits.
        AtomicInteger tries = new AtomicInteger();
        var later = new Databases.Source(() -> {
            if (tries.incrementAndGet() < 4) {
                throw new SQLException((String) null, "08001");
            }
            Connection connection = Databases.unpooled(URL).getConnection();
            if (tries.get() == 4) {
                for (String statement : new Tables("holdfast_").ddlStatements("h2")) {
                    Sql.execute(connection, statement);
                }
            }
            return connection;
        });
        JdbcBackend backend = JdbcBackend.over(later)
                .database(Database.ofUrl(URL).orElseThrow())
                .build();
        assertThat(tries).hasValue(0);
        try (Holdfast process = Holdfast.over(backend)) {
            CompletableFuture<Lease> wanted = process.lock("report").acquireAsync(Duration.ofSeconds(60));
            Awaitility.await().atMost(LONG).until(() -> tries.get() > 1);
            wanted.get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void anExceptionWithoutAMessageIsNamedAndAPasswordIsNot() {
        // Messages used to end in ": null". Drivers put the URL into theirs.
        var silent = new Databases.Source(() -> {
            throw new SQLException((String) null, "08001");
        });
        assertThatThrownBy(() -> JdbcBackend.over(silent).connect())
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(NotSentException.class)
                .message()
                .doesNotContain("null");
        var talkative = new Databases.Source(() -> {
            String url = "jdbc:postgresql://app:" + SECRET + "@db/locks?password=" + SECRET;
            throw new SQLException("cannot reach " + url, "08001", new SQLException("no route for " + url));
        });
        assertThatThrownBy(() -> JdbcBackend.over(talkative).connect()).satisfies(FirstConnectIT::showsNoSecret);
        assertThatThrownBy(() -> JdbcBackend.createTables(talkative)).satisfies(FirstConnectIT::showsNoSecret);
        assertThatThrownBy(() -> SqlFence.createTable(talkative))
                .isInstanceOf(SQLException.class)
                .satisfies(FirstConnectIT::showsNoSecret);
        try (Holdfast process = Holdfast.over(
                JdbcBackend.over(talkative).database(Database.POSTGRESQL).build())) {
            assertThatThrownBy(() -> process.lock("report").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .satisfies(FirstConnectIT::showsNoSecret);
            assertThatThrownBy(process::diagnose).satisfies(FirstConnectIT::showsNoSecret);
        }
    }

    private static void showsNoSecret(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            assertThat(each.toString()).doesNotContain(SECRET);
        }
    }

    @Test
    void aUrlIsEnough() throws Exception {
        // Without a DataSource; connections are the backend's own, kept for the next step and closed with it.
        String url = "jdbc:h2:mem:by-url;DB_CLOSE_DELAY=-1";
        try (Holdfast one =
                        Holdfast.over(JdbcBackend.builder(url).createTables().connect());
                Holdfast other = Holdfast.over(JdbcBackend.connect(url));
                Lease held = one.lock("report").acquire(LONG)) {
            assertThat(other.lock("report").tryAcquire()).isEmpty();
            assertThat(held.isValid()).isTrue();
        }
        try (Connection last = Databases.unpooled(url).getConnection()) {
            // One that was in use is closed by whoever used it, a moment after the others.
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(Sql.query(
                                    last, "SELECT count(*) FROM information_schema.sessions", row -> row.getInt(1)))
                            .containsExactly(1));
        }
    }

    @Test
    void aUrlOfASqliteFileIsThatFile(@TempDir Path directory) throws Exception {
        // The same store, with the same care for its mode and its name, as by its path.
        Path file = directory.resolve("locks.db");
        try (Holdfast byUrl = Holdfast.over(JdbcBackend.connect("jdbc:sqlite:" + file));
                Holdfast byPath = Holdfast.over(JdbcBackend.sqlite(file));
                Lease held = byUrl.lock("report").acquire(LONG)) {
            assertThat(byPath.lock("report").tryAcquire()).isEmpty();
            assertThat(held.isValid()).isTrue();
            assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        }
        assertThat(SqliteConnections.fileOf("jdbc:sqlite::memory:")).isNull();
        assertThat(SqliteConnections.fileOf("jdbc:sqlite:a.db?busy_timeout=1")).isNull();
    }

    @Test
    void whatNeedsAConnectionCannotBeBuiltWithoutOne() {
        // build() does no I/O. It used to connect if the database was not named.
        var never = new Databases.Source(() -> {
            throw new AssertionError("asked for a connection");
        });
        assertThatThrownBy(() -> JdbcBackend.over(never).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("name it with database()");
        assertThatThrownBy(() -> JdbcBackend.over(never)
                        .database(Database.H2)
                        .createTables()
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Tables cannot be created");
        JdbcBackend.over(never).database(Database.H2).build().close();
    }

    @Test
    void whatADriverThrowsIsWrapped() {
        // Callers caught HoldfastException and met with a bare SQLException.
        String url = "jdbc:h2:mem:wrapped;DB_CLOSE_DELAY=-1";
        JdbcBackend.createTables(Databases.unpooled(url));
        Tapped tapped = new Tapped(Databases.unpooled(url));
        try (Holdfast process =
                Holdfast.over(JdbcBackend.over(tapped.dataSource()).connect())) {
            tapped.before = sql -> {
                if (sql.contains("holdfast_lock") || sql.contains("settings")) {
                    throw new SQLException("the cable was cut", "08006");
                }
            };
            // Asks once: a limit could end before the machine has got round to the first answer.
            assertThatThrownBy(() -> process.lock("report").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the cable was cut")
                    .hasCauseInstanceOf(IOException.class);
            assertThatThrownBy(() -> process.inspect("report")).isInstanceOf(HoldfastException.class);
            assertThatThrownBy(process::diagnose).isInstanceOf(HoldfastException.class);
        }
    }

    @Test
    void aUrlNamesItsDatabase() {
        // By its beginning, whatever follows.
        assertThat(Database.ofUrl("jdbc:postgresql://db/locks")).contains(Database.POSTGRESQL);
        assertThat(Database.ofUrl("jdbc:mysql://db/locks")).contains(Database.MARIADB);
        assertThat(Database.ofUrl("JDBC:MariaDB://db/locks")).contains(Database.MARIADB);
        assertThat(Database.ofUrl("jdbc:h2:file:./locks")).contains(Database.H2);
        assertThat(Database.ofUrl("jdbc:sqlite:locks.db")).contains(Database.SQLITE);
        assertThat(Database.ofUrl("jdbc:oracle:thin:@db")).isEmpty();
        assertThat(Database.ofUrl("redis://db")).isEmpty();
    }
}
