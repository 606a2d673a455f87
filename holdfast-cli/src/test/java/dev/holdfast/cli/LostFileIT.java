package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file with the locks is deleted or replaced while one of them is held. Whoever comes later uses another file, so two
 * commands may run at once. Both used to end with 0.
 */
@ExtendWith(Launched.Cleanup.class)
class LostFileIT {
    @TempDir
    Path directory;

    @BeforeEach
    void makeAnother() throws Exception {
        Launched other = Launched.holdfast(directory, "init", "sqlite:" + directory.resolve("other.db"));
        assertThat(other.exitCode()).as(other.err()).isZero();
    }

    private Launched run(String minHold, String script) throws Exception {
        String at = "sqlite:" + directory.resolve("locks.db");
        return Launched.holdfast(directory, "run", "--at", at, "--min-hold", minHold, "a", "--", "sh", "-c", script);
    }

    private static void requireLost(Launched run) throws Exception {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(76);
        assertThat(run.err())
                .contains("locks.db was deleted or replaced while it was in use", "The command ended with");
    }

    @Test
    void aFileDeletedUnderTheCommandEndsIt() throws Exception {
        Launched run = run("0s", "echo ready; exec sleep 600").untilOut("ready");
        Files.delete(directory.resolve("locks.db"));
        requireLost(run);
        assertThat(run.err()).contains("Lock 'a' is lost: ending the command");
    }

    @Test
    void aFileReplacedUnderTheCommandEndsIt() throws Exception {
        Launched run = run("0s", "echo ready; exec sleep 600").untilOut("ready");
        // With its log: SQLite would apply that to the other file, and the lock would be found there.
        Files.delete(directory.resolve("locks.db-wal"));
        Files.delete(directory.resolve("locks.db-shm"));
        Files.move(directory.resolve("other.db"), directory.resolve("locks.db"), StandardCopyOption.REPLACE_EXISTING);
        requireLost(run);
        assertThat(run.err()).contains("Lock 'a' is lost: ending the command");
    }

    @Test
    void aFileDeletedJustBeforeTheEndIsNoSuccess() throws Exception {
        // Nobody has looked at the file since: the release finds out. "Not confirmed", it said, and ended with 0.
        requireLost(run("0s", "exec rm locks.db"));
    }

    @Test
    void aFileReplacedJustBeforeTheEndIsNoSuccess() throws Exception {
        requireLost(run("0s", "rm locks.db-wal locks.db-shm; exec mv other.db locks.db"));
    }

    @Test
    void aLockThatIsGoneWhenItShouldBeKeptForAMinimumIsNoSuccess() throws Exception {
        // The command has ended, and what should keep the lock is gone with the file. It was told to nobody.
        requireLost(run("60s", "exec rm locks.db"));
    }
}
