package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults around PostgreSQL, and what only PostgreSQL has: a connection that listens. */
class PostgreSqlFaultsIT extends ServerFaultContract {
    /** What a waiter that listens waits between two questions. */
    private static final Duration RECHECK = Duration.ofSeconds(5);

    @RegisterExtension
    static final PostgreSqlServer postgres = new PostgreSqlServer();

    @Override
    String url() {
        return postgres.url();
    }

    @Override
    String url(int port) {
        return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
    }

    @Override
    int port() {
        return postgres.port();
    }

    @Override
    void stopServer() throws Exception {
        postgres.stop();
    }

    @Override
    void startServer() throws Exception {
        postgres.start();
    }

    @Override
    int questionsInFiveSeconds() {
        return 2;
    }

    @Override
    SQLException rolledBack() {
        return new SQLException("could not serialize access", "40001");
    }

    @Override
    boolean grants(String sql) {
        return sql.contains("INTO holdfast_lock");
    }

    @Override
    boolean isDeadlock(SQLException failure) {
        return "40P01".equals(failure.getSQLState());
    }

    private List<Integer> listeners() throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(
                    connection,
                    "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN \"holdfast%'",
                    row -> row.getInt(1));
        }
    }

    @Test
    void aWaiterIsToldAndNeedsTwoQuestions() throws Exception {
        // Hand-over across processes, often: each waiter asks once to queue and once when told. Nobody polls.
        Tapped tapped = new Tapped(pool(3));
        Holdfast holder = process(pool(3));
        Holdfast waiter = process(tapped.dataSource());
        handOver(holder, waiter);
        int before = tapped.connections.get();
        for (int round = 0; round < 20; round++) {
            handOver(holder, waiter);
        }
        // Queue, claim, release.
        assertThat(tapped.connections.get() - before).isBetween(60, 63);
    }

    private void handOver(Holdfast holder, Holdfast waiter) throws Exception {
        Lease held = holder.lock(name).acquire(LONG);
        CompletableFuture<Lease> next = waiter.lock(name).acquireAsync(LONG);
        Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> countRows("holdfast_queue").contains(1L) && isAddressed());
        held.close();
        next.get(10, TimeUnit.SECONDS).close();
    }

    private boolean isAddressed() throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(
                            connection,
                            "SELECT inbox FROM holdfast_queue WHERE name = ?",
                            row -> row.getString(1),
                            Tables.bytes(name))
                    .stream()
                    .noneMatch(String::isEmpty);
        }
    }

    @Test
    void aWaiterWhoseListeningConnectionDiesIsServedAllTheSame() throws Exception {
        // The connection is ended by an administrator, and the lock released at once: nobody is there to be told. By
        // itself the waiter would ask again five seconds after it last did; a machine on which all this takes as long
        // shows nothing, and is asked again.
        Tapped tapped = new Tapped(pool(3));
        AtomicLong asked = new AtomicLong();
        tapped.before = sql -> asked.set(System.nanoTime());
        Holdfast holder = process(pool(3));
        Holdfast waiter = process(tapped.dataSource());
        List<Duration> pauses = new ArrayList<>();
        do {
            Lease held = holder.lock(name).acquire(LONG);
            CompletableFuture<Lease> waiting = waiter.lock(name).acquireAsync(LONG);
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> countRows("holdfast_queue").contains(1L) && isAddressed());
            long before = asked.get();
            terminateListeners();
            held.close();
            Lease served = waiting.get(20, TimeUnit.SECONDS);
            pauses.add(Duration.ofNanos(asked.get() - before));
            served.close();
            awaitNothingLeft();
        } while (Collections.min(pauses).compareTo(RECHECK) >= 0 && pauses.size() < 5);
        assertThat(pauses).anyMatch(pause -> pause.compareTo(RECHECK) < 0);
    }

    private void terminateListeners() throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            for (int pid : listeners()) {
                Sql.query(connection, "SELECT pg_terminate_backend(?)", row -> row.getBoolean(1), pid);
            }
        }
    }

    @Test
    void noConnectionIsKeptWhereNobodyWaits() throws Exception {
        // Locks are held and released without rivals: nothing listens, and all connections are back in the pool.
        var pool = pool(3);
        try (Lease lease = process(pool).lock(name).acquire(LONG)) {
            assertThat(lease.isValid()).isTrue();
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        }
    }
}
