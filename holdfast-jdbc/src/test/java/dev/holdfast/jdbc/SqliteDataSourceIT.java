package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Loss;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A SQLite file in a pool of the application's, whose connections stay open on a file that was deleted. */
@Timeout(120)
class SqliteDataSourceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private Path file;
    private HikariDataSource pool;
    private Holdfast process;

    @BeforeEach
    void open() {
        file = directory.resolve("locks.db");
        JdbcBackend.sqlite(file).close();
        pool = Databases.pool("jdbc:sqlite:" + file + "?busy_timeout=5000", 2);
        process = Holdfast.builder(JdbcBackend.over(pool).connect())
                .closeGrace(Duration.ofMillis(300))
                .build();
    }

    @AfterEach
    void close() {
        process.close();
        pool.close();
    }

    private void replace() throws Exception {
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(directory.resolve("locks.db" + suffix));
        }
        JdbcBackend.sqlite(file).close();
    }

    @Test
    void theHolderIsTold() throws Exception {
        // It used to renew in the file that was deleted, for ever.
        Lease held = process.lock("report").withLease(Duration.ofSeconds(60)).acquire(PATIENCE);
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        replace();
        assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
    }

    @Test
    void theHolderIsToldWhereOnlyTheCompanionsAreGone() throws Exception {
        // The file was the same. What the pool's connections wrote to the log was found by nobody, for ever. At the
        // latest the next renewal finds out: it has to come before the end of the lease, however busy the machine is.
        Lease held = process.lock("report").withLease(Duration.ofSeconds(9)).acquire(PATIENCE);
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        for (String suffix : List.of("-wal", "-shm")) {
            Files.delete(directory.resolve("locks.db" + suffix));
        }
        assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
    }

    @Test
    void aPoolThatClosesItsConnectionsLosesNothing() throws Exception {
        // With the last connection SQLite itself removes the log, and the next one makes a new one.
        Lease held = process.lock("report").withLease(Duration.ofSeconds(60)).acquire(PATIENCE);
        Awaitility.await().atMost(PATIENCE).until(() -> {
            // As often as it takes: a connection that the pool opens before the last one is closed keeps the log.
            pool.getHikariPoolMXBean().softEvictConnections();
            return Files.notExists(directory.resolve("locks.db-wal"));
        });
        assertThat(process.lock("report").tryAcquire()).isEmpty();
        assertThat(held.isValid()).isTrue();
        held.releaseAsync().get();
    }

    @Test
    void connectionsToTheFileThatIsGoneGrantNothing() throws Exception {
        // The pool keeps them; what they write is found by nobody. New ones lead to the file that is there now.
        // A pool of one: a second connection, opened after the replacement, would lead to the new file, and grant.
        pool.setMaximumPoolSize(1);
        process.lock("report").acquire(PATIENCE).close();
        replace();
        assertThatThrownBy(() -> process.lock("report").tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("deleted or replaced");
        assertThatThrownBy(() -> process.lock("report").acquire(Duration.ofMillis(700)))
                .isInstanceOf(LockUnavailableException.class);
        pool.getHikariPoolMXBean().softEvictConnections();
        try (Lease lease = process.lock("report").acquire(PATIENCE);
                Holdfast rival = Holdfast.over(JdbcBackend.sqlite(file))) {
            assertThat(rival.lock("report").tryAcquire()).isEmpty();
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aFileWithTwoNamesIsRefused() throws Exception {
        // As if it were opened by its path.
        Files.createLink(directory.resolve("second.db"), file);
        assertThatThrownBy(() -> process.lock("report").acquire(PATIENCE))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("2 names (hard links)");
    }
}
