package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tables of another version are recognised and refused, and stay as they are. */
interface OtherVersionContract {
    String url();

    /** What creates the tables of version 1: three, without the columns and the number of version 2. */
    static List<String> firstVersion(Database database, String prefix) {
        List<String> statements = new ArrayList<>();
        for (String each : new Tables(prefix).ddlStatements(database.dialect().ddlName())) {
            if (each.startsWith("CREATE") && !each.contains("share")) {
                statements.add(each.lines()
                        .filter(line -> !line.strip().startsWith("kind ")
                                && !line.strip().startsWith("notes "))
                        .collect(Collectors.joining("\n")));
            }
        }
        return statements;
    }

    static void run(String url, List<String> statements) throws SQLException {
        try (Connection connection = Databases.unpooled(url).getConnection()) {
            for (String each : statements) {
                Sql.execute(connection, each);
            }
        }
    }

    private Database database() {
        return Database.ofUrl(url()).orElseThrow();
    }

    private JdbcBackend.Builder builder(String prefix) {
        return JdbcBackend.over(Databases.unpooled(url())).tablePrefix(prefix);
    }

    private List<Long> query(String sql) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(connection, sql, row -> row.getLong(1));
        }
    }

    @Test
    default void tablesOfTheFirstVersionAreRefusedAndNotTouched() throws Exception {
        // They lack columns: acquisitions would have failed one by one, with what the database says about columns.
        run(url(), firstVersion(database(), "first_"));
        for (JdbcBackend.Builder each : List.of(
                builder("first_"),
                builder("first_").createTables(),
                builder("first_").database(database()))) {
            assertThatThrownBy(each::connect)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContainingAll("first_", "of version 1", "for version 2", "drop first_lock");
        }
        assertThat(query("SELECT count(*) FROM first_fence")).containsExactly(0L);
        assertThatThrownBy(() -> query("SELECT count(kind) FROM first_lock")).isInstanceOf(SQLException.class);
    }

    @Test
    default void aBackendThatWasBuiltWithoutAConnectionRefusesAtTheFirstLock() throws Exception {
        // build() looks at nothing. The diagnosis says the same as the refusal.
        run(url(), firstVersion(database(), "built_"));
        try (Holdfast process =
                Holdfast.over(builder("built_").database(database()).build())) {
            assertThatThrownBy(() -> process.lock("report").acquire(Duration.ofSeconds(20)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContainingAll("of version 1", "for version 2");
            assertThat(process.diagnose())
                    .filteredOn(Finding::code, "jdbc.other-version")
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.DANGER))
                    .satisfies(finding -> assertThat(finding.what()).contains("0 locks held"));
        }
    }

    @Test
    default void theFileForMigrationsDoesNotMakeOldTablesNewOnes() throws Exception {
        // Somebody ran it over tables of version 1: it leaves them as they are, and adds the number of version 2.
        run(url(), firstVersion(database(), "migrated_"));
        run(url(), new Tables("migrated_").ddlStatements(database().dialect().ddlName()));
        assertThat(query("SELECT counter FROM migrated_fence WHERE bucket = -3"))
                .containsExactly(2L);
        assertThatThrownBy(() -> builder("migrated_").connect()).hasMessageContainingAll("of version 1", "version 2");
    }

    @Test
    default void tablesOfALaterVersionAreRefusedAndKeepTheirNumber() throws Exception {
        // Their columns are all that this version needs; what they mean may be something else.
        builder("later_").createTables().connect().close();
        run(url(), List.of("UPDATE later_fence SET counter = 3 WHERE bucket = -3"));
        assertThatThrownBy(() -> builder("later_").createTables().connect())
                .hasMessageContainingAll("of version 3", "for version 2");
        run(url(), new Tables("later_").ddlStatements(database().dialect().ddlName()));
        assertThat(query("SELECT counter FROM later_fence WHERE bucket = -3")).containsExactly(3L);
    }

    @Test
    default void aNumberThatWasLostWithAllCountersDoesNoHarm() throws Exception {
        // Somebody emptied the table. The columns say what the number said.
        builder("emptied_").createTables().connect().close();
        run(url(), List.of("DELETE FROM emptied_fence"));
        try (Holdfast process = Holdfast.over(builder("emptied_").connect())) {
            process.lock("report").acquire(Duration.ofSeconds(20)).close();
        }
    }

    @Test
    default void manyMayCreateTheTablesAtOnce() throws Exception {
        // Whoever came second was told that there is no connection, or that the tables cannot be created.
        ExecutorService threads = Executors.newFixedThreadPool(6);
        for (int round = 0; round < 5; round++) {
            String prefix = "crowd" + round + "_";
            List<Callable<JdbcBackend>> crowd =
                    Collections.nCopies(6, () -> builder(prefix).createTables().connect());
            for (Future<JdbcBackend> each : threads.invokeAll(crowd)) {
                each.get().close();
            }
            assertThat(query("SELECT counter FROM " + prefix + "fence WHERE bucket = -3"))
                    .containsExactly(2L);
        }
        threads.shutdown();
    }

    @Test
    default void aClientOfTheFirstVersionCannotWriteIntoTheseTables() throws Exception {
        // It knows nothing of kinds. With defaults for the new columns it would hold locks here.
        builder("current_").createTables().connect().close();
        assertThatThrownBy(
                        () -> run(
                                url(),
                                List.of(
                                        "INSERT INTO current_lock (name, owner, token, tokens, granted_at, expires_at, host, pid,"
                                                + " description) VALUES ('n', 'AAAAAAAAAAAAAAAAAAAAAA', 1, 1, 1, 2, 'h', 1, '')")))
                .isInstanceOf(SQLException.class);
        assertThat(query("SELECT count(*) FROM current_lock")).containsExactly(0L);
    }
}
