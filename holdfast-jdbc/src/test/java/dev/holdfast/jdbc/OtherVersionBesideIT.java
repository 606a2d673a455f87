package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.spi.RefusedException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables of version 1 where nobody chose a name: in a file, and in the same database. */
@Timeout(60)
class OtherVersionBesideIT {
    @Test
    void aFileOfTheFirstVersionIsRefusedAndNotTouched(@TempDir Path directory) throws Exception {
        // sqlite() creates what is missing. It must not do so here.
        Path file = directory.resolve("locks.db");
        String url = "jdbc:sqlite:" + file;
        OtherVersionContract.run(url, OtherVersionContract.firstVersion(Database.SQLITE, "holdfast_"));
        assertThatThrownBy(() -> JdbcBackend.sqlite(file))
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContainingAll("of version 1", "for version 2", "moved away");
        assertThatThrownBy(() -> OtherVersionContract.run(url, List.of("SELECT kind FROM holdfast_lock")))
                .hasMessageContaining("no such column");
    }

    @Test
    void locksOfTheFirstVersionBesideAreFound() throws Exception {
        // The new processes have a prefix of their own, and the old ones are still there: both hold the same lock.
        String url = "jdbc:h2:mem:beside;DB_CLOSE_DELAY=-1";
        OtherVersionContract.run(url, OtherVersionContract.firstVersion(Database.H2, "holdfast_"));
        OtherVersionContract.run(
                url,
                List.of("INSERT INTO holdfast_lock VALUES (X'6E', 'AAAAAAAAAAAAAAAAAAAAAA', 1, 1, 1, 9000000000000000,"
                        + " 'h', 1, '')"));
        try (Holdfast process = Holdfast.over(
                JdbcBackend.builder(url).tablePrefix("new_").createTables().connect())) {
            assertThat(process.diagnose())
                    .filteredOn(Finding::code, "jdbc.other-version")
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
                    .satisfies(finding -> assertThat(finding.what())
                            .contains("holdfast_…", "of version 1", "1 lock held", "do not keep each other out"));
        }
    }
}
