package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Loss;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.tck.OtherJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is a store only while its name leads to it: its holders and waiters must notice when it does not. */
@Timeout(120)
class SqliteReplacedIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What somebody does to the file, or to its name. */
    enum Fate {
        DELETED {
            @Override
            void befall(Path file) throws IOException {
                deleteWithCompanions(file);
            }
        },
        ONLY_THE_MAIN_FILE_DELETED {
            @Override
            void befall(Path file) throws IOException {
                Files.delete(file);
            }
        },
        DIRECTORY_MOVED_AWAY {
            @Override
            void befall(Path file) throws IOException {
                Path directory = file.getParent();
                Files.move(directory, directory.resolveSibling("moved"));
            }
        },
        REPLACED_BY_ANOTHER_STORE {
            @Override
            void befall(Path file) throws IOException {
                Path other = file.resolveSibling("other.db");
                JdbcBackend.sqlite(other).close();
                deleteWithCompanions(file);
                Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
            }
        },
        /** It has the same random number inside. */
        REPLACED_BY_AN_EARLIER_COPY {
            @Override
            void befall(Path file) throws IOException {
                deleteWithCompanions(file);
                Files.move(file.resolveSibling("earlier.db"), file, StandardCopyOption.ATOMIC_MOVE);
            }
        },
        EMPTIED {
            @Override
            void befall(Path file) {
                execute(file, "DELETE FROM holdfast_lock", "DELETE FROM holdfast_fence");
            }
        },
        TABLES_DROPPED {
            @Override
            void befall(Path file) {
                execute(file, "DROP TABLE holdfast_lock", "DROP TABLE holdfast_fence");
            }
        };

        abstract void befall(Path file) throws IOException;
    }

    private static void copy(Path file, String name) {
        execute(file, "VACUUM INTO '" + file.resolveSibling(name) + "'");
    }

    private Lease acquireAfterCopying(Duration lease) throws InterruptedException {
        Holdfast process = processes.on(file);
        process.lock("other").acquire(PATIENCE).close();
        // So that what is written later is in the log alone.
        execute(file, "PRAGMA wal_checkpoint(PASSIVE)");
        copy(file, "earlier.db");
        return process.lock("report").withLease(lease).acquire(PATIENCE);
    }

    @TempDir
    Path directory;

    @RegisterExtension
    final SqliteProcesses processes = new SqliteProcesses();

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("store/locks.db");
    }

    private static void deleteWithCompanions(Path file) throws IOException {
        Files.deleteIfExists(file);
        deleteCompanions(file);
    }

    private static void deleteCompanions(Path file) throws IOException {
        for (String suffix : List.of("-wal", "-shm")) {
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + suffix));
        }
    }

    private static void execute(Path file, String... statements) {
        try (Connection connection = Databases.unpooled("jdbc:sqlite:" + file).getConnection()) {
            Sql.execute(connection, "PRAGMA busy_timeout = 20000");
            for (String each : statements) {
                Sql.execute(connection, each);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theHolderIsToldLongBeforeItsLeaseEnds(Fate fate) throws Exception {
        // It used to renew in a file that nobody found any more: two holders, and nobody was told.
        boolean contentOnly = fate == Fate.EMPTIED || fate == Fate.TABLES_DROPPED;
        Lease held = acquireAfterCopying(Duration.ofSeconds(contentOnly ? 24 : 60));
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        fate.befall(file);
        // One that sees the store as it is now, as a process does that starts later. It need not tell the first.
        Lease rivals = processes.on(file).lock("report").acquire(PATIENCE);
        if (contentOnly) {
            // The name leads to the same file: only a look into it can tell, and the next renewal takes one.
            assertThat(lost.get(16, TimeUnit.SECONDS)).isNotNull();
        } else {
            assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
        }
        assertThat(held.isValid()).isFalse();
        assertThat(rivals.isValid()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHolderIsToldWhereOnlyTheCompanionsAreGone(boolean restored) throws Exception {
        // The file itself was the same, device, inode and number. A rival in another process got the lock, and the
        // holder
        // was never told. Within a process the connections share SQLite's log, so the rival has to be another one.
        Lease held = acquireAfterCopying(Duration.ofSeconds(60));
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        if (restored) {
            Files.write(file, Files.readAllBytes(file.resolveSibling("earlier.db")));
        }
        deleteCompanions(file);
        Process rival = OtherJvm.of(
                        OneTurnProcess.class, OneTurnProcess.class, List.of(file.toString(), "report", "10"))
                .start();
        processes.closeAfterwards(rival::destroyForcibly);
        assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
        assertThat(held.isValid()).isFalse();
        assertThat(rival.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(rival.exitValue()).isZero();
    }

    private static void requireRefusedOrLost(CompletableFuture<Void> released, CompletableFuture<Loss> lost)
            throws Exception {
        try {
            released.get(20, TimeUnit.SECONDS);
            // Then the loss was noticed in the moment before, and the callback, which has a thread of its own, is
            // called.
            assertThat(lost.get(20, TimeUnit.SECONDS).why()).isNotEmpty();
        } catch (ExecutionException e) {
            assertThat(e.getCause().getCause()).isInstanceOf(RefusedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReleaseIsNotCalledGood(Fate fate) throws Exception {
        // The job has ended before anybody noticed. It used to be told that all was well.
        Lease held = acquireAfterCopying(Duration.ofSeconds(30));
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        fate.befall(file);
        if (fate == Fate.REPLACED_BY_ANOTHER_STORE) {
            processes.on(file).lock("report").acquire(PATIENCE).close();
        }
        requireRefusedOrLost(held.releaseAsync(), lost);
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionToTheFileThatIsGoneDoesNotGrant(Fate fate) throws Exception {
        // A process with open connections, and one that starts later: they must mean the same lock.
        Holdfast early = processes.on(file);
        early.lock("report").acquire(PATIENCE).close();
        copy(file, "earlier.db");
        fate.befall(file);
        try (Lease held = processes.on(file).lock("report").acquire(PATIENCE)) {
            // Unavailable until it has found the file that is there now; then busy, and at no time granted.
            Awaitility.await().atMost(PATIENCE).until(() -> isBusy(early));
            assertThat(held.isValid()).isTrue();
        }
        try (Lease next = early.lock("report").acquire(PATIENCE)) {
            assertThat(processes.on(file).lock("report").tryAcquire()).isEmpty();
            assertThat(next.isValid()).isTrue();
        }
    }

    private static boolean isBusy(Holdfast process) throws InterruptedException {
        try {
            assertThat(process.lock("report").tryAcquire(Duration.ofMillis(500)))
                    .isEmpty();
            return true;
        } catch (LockUnavailableException notYet) {
            return false;
        }
    }

    @Test
    void aCopyThatHasTheLockInItIsAStoreLikeAnyOther() throws Exception {
        // The file is replaced by a copy that was made while the lock was held. Whoever comes later finds it held
        // there, so
        // nothing is lost: it is renewed and released in the copy. It is replaced with its companions in one moment, by
        // a link: nobody sees one without the others.
        Path old = Files.createDirectory(directory.resolve("old"));
        Path copied = Files.createDirectory(directory.resolve("copied"));
        Path link = Files.createSymbolicLink(directory.resolve("store"), old);
        Lease held = processes
                .on(file)
                .lock("report")
                .withLease(Duration.ofSeconds(15))
                .acquire(PATIENCE);
        copy(file, "copy.db");
        Files.move(old.resolve("copy.db"), copied.resolve(file.getFileName()));
        Path next = Files.createSymbolicLink(directory.resolve("next"), copied);
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
        Holdfast rival = processes.on(file);
        long before = System.nanoTime() + remaining(rival);
        long aSecond = TimeUnit.SECONDS.toNanos(1);
        Awaitility.await().atMost(PATIENCE).until(() -> System.nanoTime() + remaining(rival) - before > aSecond);
        assertThat(rival.lock("report").tryAcquire()).isEmpty();
        assertThat(held.isValid()).isTrue();
        held.releaseAsync().get();
        rival.lock("report").acquire(PATIENCE).close();
    }

    private static long remaining(Holdfast observer) throws InterruptedException {
        return observer.inspect("report").orElseThrow().remaining().toNanos();
    }

    @Test
    void aWaiterGoesOnInTheStoreThatIsThereNow() throws Exception {
        // It stands in a queue that is gone; its place with it, but not its patience.
        Lease first = processes.on(file).lock("report").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = processes.on(file).lock("report").acquireAsync(PATIENCE);
        // All in one moment: the waiter looks for the file all the time, and makes another one.
        Fate.DIRECTORY_MOVED_AWAY.befall(file);
        waiting.get(20, TimeUnit.SECONDS).close();
        first.close();
    }

    @Test
    void aFileWithTwoNamesIsRefused() throws Exception {
        // SQLite keeps its log beside the name: two names of one file were two stores, and destroyed each other.
        Path second = file.resolveSibling("second.db");
        processes.on(file).lock("report").acquire(PATIENCE).close();
        Files.createLink(second, file);
        for (Path each : List.of(file, second)) {
            assertThatThrownBy(() -> JdbcBackend.sqlite(each))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContaining("2 names (hard links)");
        }
        Files.delete(second);
        processes.on(file).lock("report").acquire(PATIENCE).close();
    }

    @Test
    void aSymbolicLinkIsTheFileItLeadsTo() throws Exception {
        // Also one that was made before the file; and when it leads elsewhere, its holder is told.
        Files.createDirectories(file.getParent());
        Path link = Files.createSymbolicLink(file.resolveSibling("link.db"), file.getFileName());
        Lease held = processes.on(link).lock("report").acquire(PATIENCE);
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        assertThat(file).isRegularFile();
        assertThat(link).isSymbolicLink();
        assertThat(processes.on(file).lock("report").tryAcquire()).isEmpty();
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("elsewhere.db"));
        processes.on(link).lock("report").acquire(PATIENCE);
        assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
    }
}
