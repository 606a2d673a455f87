package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.file.LockFile;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Sqlite;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.RefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no waiting cures is refused at once, with what to do about it; it used to be tried again for the whole wait. */
@Timeout(60)
class SqliteRefusalsIT {
    /** Far longer than the test may take. */
    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir
    Path directory;

    private String url() {
        return "jdbc:sqlite:" + directory.resolve("locks.db");
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            for (String each : statements) {
                Sql.execute(connection, each);
            }
        }
    }

    @Test
    void aReadOnlyFileIsRefused() {
        // The database lets us read and says so. A lock is a write.
        JdbcBackend.sqlite(directory.resolve("locks.db")).close();
        var readOnly = new Databases.Source(() -> {
            Connection connection = Databases.unpooled(url()).getConnection();
            Sql.execute(connection, "PRAGMA query_only = 1");
            return connection;
        });
        try (Holdfast process = Holdfast.over(JdbcBackend.over(readOnly).connect())) {
            assertThatThrownBy(() -> process.lock("report").acquire(LONG))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("readonly database")
                    .hasMessageContaining("needs the right to write");
        }
    }

    @Test
    void aPlaceThatCannotBeWrittenToIsRefused() {
        // Not even root can create something there.
        assertThatThrownBy(() -> JdbcBackend.sqlite(Path.of("/proc/holdfast/locks.db")))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("cannot be created")
                .hasMessageNotContaining("null");
    }

    @Test
    void aDirectoryIsRefused() {
        // Somebody forgot the name of the file.
        assertThatThrownBy(() -> JdbcBackend.sqlite(directory))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("is a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/null", "pipe", "link"})
    void whatIsNoOrdinaryFileIsRefused(String name) throws Exception {
        // SQLite opened /dev/null, and read from a pipe for ever.
        Path file = directory.resolve(name);
        if (name.equals("pipe")) {
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                    .isZero();
        } else if (name.equals("link")) {
            Files.createSymbolicLink(file, Path.of("/dev/null"));
        }
        assertThatThrownBy(() -> JdbcBackend.sqlite(file))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("Name an ordinary file");
        LockFile found = new LockFile(file);
        assertThatThrownBy(() -> found.requireUsable(found.look())).isInstanceOf(RefusedException.class);
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndNotTouched() throws Exception {
        // It is somebody's text.
        Path text = Files.writeString(directory.resolve("locks.db"), "Dear diary, ".repeat(1_000));
        assertThatThrownBy(() -> JdbcBackend.sqlite(text))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("not a SQLite database");
        assertThat(text).content().startsWith("Dear diary").hasSize(12_000);
    }

    @Test
    void tablesOfAnotherProgramAreRefused() throws Exception {
        // The name is taken, and the columns are others.
        execute(
                "CREATE TABLE holdfast_lock (ship TEXT, anchor TEXT)",
                "CREATE TABLE holdfast_queue (ship TEXT)",
                "CREATE TABLE holdfast_fence (meadow TEXT)");
        assertThatThrownBy(() -> JdbcBackend.sqlite(directory.resolve("locks.db")))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("tablePrefix");
        try (Holdfast process =
                Holdfast.over(JdbcBackend.over(Databases.unpooled(url())).connect())) {
            assertThatThrownBy(() -> process.lock("report").acquire(LONG))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("is not one of Holdfast's")
                    // The whole of the tables used to be in the message, on one line.
                    .hasMessageContaining("no such column")
                    .hasMessageNotContaining("CREATE TABLE");
        }
    }

    @Test
    void aFullDiskIsRefused() throws Exception {
        // The file may not grow by a page.
        JdbcBackend.sqlite(directory.resolve("locks.db")).close();
        var full = new Databases.Source(() -> {
            Connection connection = Databases.unpooled(url()).getConnection();
            Sql.execute(connection, "PRAGMA max_page_count = 1");
            return connection;
        });
        try (Holdfast process = Holdfast.over(JdbcBackend.over(full).connect())) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            process.lock("report/" + i)
                                    .describedAs("x".repeat(200))
                                    .acquire(LONG);
                        }
                    })
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("full")
                    .hasMessageContaining("Free some space");
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "8", "13", "14", "26", "11", "264", "1544"})
    void whatWaitingDoesNotCureIsARefusal(int code) {
        // No permission, read-only, full, cannot be opened, not a database, damaged; and what SQLite adds to these.
        Errors errors = new Errors(new Sqlite(), new Tables(Tables.DEFAULT_PREFIX));
        SQLException failure = new SQLException(null, null, code);
        assertThat(errors.whileConnecting(failure)).isInstanceOf(RefusedException.class);
        assertThat(errors.whileExecuting(failure))
                .isInstanceOf(RefusedException.class)
                .message()
                .doesNotContain("null")
                .endsWith(".");
    }

    @Test
    void filesAndDirectoriesAreForThisUserAlone() throws Exception {
        // They used to be as wide as the umask left them; a description may be a command line with a password.
        Path file = directory.resolve("new/deep/locks.db");
        try (Holdfast process = Holdfast.over(JdbcBackend.sqlite(file));
                Lease lease = process.lock("report").acquire(LONG)) {
            assertThat(lease.isValid()).isTrue();
            for (String each : List.of("locks.db", "locks.db-wal", "locks.db-shm")) {
                assertThat(mode(file.resolveSibling(each))).as(each).isEqualTo("rw-------");
            }
            assertThat(mode(file.getParent())).isEqualTo("rwx------");
            assertThat(mode(file.getParent().getParent())).isEqualTo("rwx------");
            assertThat(process.diagnose()).extracting(Finding::code).doesNotContain("sqlite.file-mode");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            assertThat(process.diagnose())
                    .filteredOn(Finding::code, "sqlite.file-mode")
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.what()).contains("644"));
        }
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
