package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.tck.OtherJvm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many who want the same are not an outage: all get through. That they are served in turn, the conformance kit shows. */
@Timeout(240)
class SqliteStormIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String NAME = "storm";

    @TempDir
    Path directory;

    @RegisterExtension
    final SqliteProcesses processes = new SqliteProcesses();

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("locks.db");
    }

    @Test
    void whoWaitsIsServedAndNobodyIsToldThatTheStoreIsUnavailable() throws Exception {
        // Thirty clients with connections of their own, and three processes. Each used to take the file's write lock
        // with
        // every question, a hundred times a second: most of those who waited without a limit were told "unavailable".
        Holdfast holder = processes.on(file);
        Lease first = holder.lock(NAME).acquire(PATIENCE);
        List<Long> served = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            waiting.add(processes.on(file).lock(NAME).acquireAsync());
            int places = i + 1;
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> holder.inspect(NAME).orElseThrow().waiters().size() == places);
        }
        List<Process> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(OtherJvm.of(OneTurnProcess.class, OneTurnProcess.class, List.of(file.toString(), NAME, "10"))
                    .redirectErrorStream(true)
                    .start());
        }
        first.close();
        ExecutorService threads = Executors.newFixedThreadPool(30);
        List<Future<?>> turns = new ArrayList<>();
        for (CompletableFuture<Lease> each : waiting) {
            turns.add(threads.submit(() -> {
                try (Lease lease = each.get()) {
                    // Unguarded: it stays whole only if nobody else is inside.
                    served.add(lease.token().value());
                    TimeUnit.MILLISECONDS.sleep(2);
                    lease.ensureValid(Duration.ZERO);
                }
                return null;
            }));
        }
        for (Future<?> each : turns) {
            each.get();
        }
        threads.shutdown();
        for (Process each : others) {
            String said = new String(each.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(each.waitFor()).as(said).isZero();
            assertThat(said).contains("held ");
        }
        assertThat(served).hasSize(30).isSorted();
    }

    @Test
    void aFileThatOthersWriteToForLongIsBusyAndNotUnavailable() throws Exception {
        // Somebody keeps the file's write lock for longer than a caller without a limit waits for an answer (10 s). One
        // waiter has its place already, one comes only now. Both used to be told that the store was unavailable.
        Holdfast holder = processes.on(file);
        Lease held = holder.lock(NAME).withLease(Duration.ofSeconds(60)).acquire(PATIENCE);
        CompletableFuture<Lease> early = processes.on(file).lock(NAME).acquireAsync();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !holder.inspect(NAME).orElseThrow().waiters().isEmpty());
        try (Connection writer = Databases.unpooled("jdbc:sqlite:" + file).getConnection()) {
            Sql.execute(writer, "PRAGMA busy_timeout = 20000");
            Sql.execute(writer, "BEGIN IMMEDIATE");
            CompletableFuture<Lease> late = processes.on(file).lock(NAME).acquireAsync();
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(13);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> System.nanoTime() > until || early.isDone() || late.isDone());
            assertThat(early).isNotDone();
            assertThat(late).isNotDone();
            Sql.execute(writer, "COMMIT");
            held.releaseAsync().get();
            early.get(60, TimeUnit.SECONDS).close();
            late.get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void allWhoCreateTheFileAtOnceFindItGood() throws Exception {
        // Twenty begin at the same moment in an empty directory. Some used to be told "database is locked".
        ExecutorService threads = Executors.newFixedThreadPool(20);
        List<Future<Boolean>> begun = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            begun.add(threads.submit(() -> {
                try (Holdfast process = Holdfast.over(JdbcBackend.sqlite(file));
                        Lease lease = process.lock(NAME).acquire(PATIENCE)) {
                    return lease.isValid();
                }
            }));
        }
        for (Future<Boolean> each : begun) {
            assertThat(each.get()).isTrue();
        }
        threads.shutdown();
    }
}
