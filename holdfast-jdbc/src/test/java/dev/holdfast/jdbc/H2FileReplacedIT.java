package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Loss;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An H2 file is deleted while one process serves it and holds a lock in it. */
@Timeout(120)
class H2FileReplacedIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private String url() {
        return "jdbc:h2:file:" + directory.resolve("locks") + ";WRITE_DELAY=0;AUTO_SERVER=TRUE";
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHolderIsToldAndItsReleaseIsNotCalledGood(boolean newFile) throws Exception {
        // The serving process went on with the deleted file, for itself alone: it renewed and released, and was told
        // that
        // all was well, while the next process served a new database under the same name.
        try (HikariDataSource pool = Databases.pool(url(), 2);
                Connection keepsItOpen = Databases.unpooled(url()).getConnection()) {
            assertThat(keepsItOpen.isClosed()).isFalse();
            JdbcBackend.createTables(pool);
            try (Holdfast process = Holdfast.builder(JdbcBackend.over(pool).connect())
                    .closeGrace(Duration.ofMillis(300))
                    .build()) {
                Lease held =
                        process.lock("report").withLease(Duration.ofSeconds(60)).acquire(PATIENCE);
                Lease second = process.lock("second").acquire(PATIENCE);
                CompletableFuture<Loss> lost = new CompletableFuture<>();
                held.onLost(lost::complete);
                Files.delete(directory.resolve("locks.mv.db"));
                if (newFile) {
                    Files.createFile(directory.resolve("locks.mv.db"));
                }
                // Those that the pool opens from now on lead to the deleted file as well: the process has it open.
                pool.getHikariPoolMXBean().softEvictConnections();
                assertThat(told(second)).isTrue();
                assertThat(lost.get(15, TimeUnit.SECONDS).why()).contains("deleted or replaced");
            }
        }
    }

    /** By the release, or in the moment before it. */
    private static boolean told(Lease lease) throws Exception {
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        try {
            lease.releaseAsync().get(20, TimeUnit.SECONDS);
            // Then the loss was noticed in the moment before, and the callback has a thread of its own.
            return lost.get(20, TimeUnit.SECONDS).why().contains("deleted or replaced");
        } catch (ExecutionException e) {
            return e.getMessage().contains("deleted or replaced");
        }
    }
}
