package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Owner;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults around PostgreSQL, and what only PostgreSQL has: a connection that listens. */
class PostgreSqlFaultsIT extends ServerFaultContract
        implements KeptLockContract,
                WireFormatContract,
                ShareTablesContract,
                OtherVersionContract,
                StatementCountContract {
    /** What a waiter that listens waits between two questions. */
    private static final Duration RECHECK = Duration.ofSeconds(5);

    @RegisterExtension
    static final PostgreSqlServer postgres = new PostgreSqlServer();

    @Override
    public int statementsOfATurn() {
        return 2;
    }

    @Override
    public int statementsOfAPermit() {
        // Requests: two to acquire it, two to release it.
        return 4;
    }

    @Override
    public String url() {
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
    void aBucketThatComesIntoBeingAfterTheLookForItsMutexIsLockedAllTheSame() throws Exception {
        // The step finds no row to lock; before its next statement somebody adds the row, locks it and takes the lock.
        // The
        // step saw the row, and went on without the mutex. A table that is locked stands for the time in between.
        String key = LockKey.readWriteLock(name).encoded();
        try (BareClient client = new BareClient(
                        JdbcBackend.over(pool(2)).commandTimeout(LONG).connect(), key);
                Connection tableLock = Databases.unpooled(url()).getConnection();
                Connection first = Databases.unpooled(url()).getConnection()) {
            client.release(client.ask());
            Sql.update(first, "DELETE FROM holdfast_fence WHERE bucket = ?", Tables.bucket(key));
            tableLock.setAutoCommit(false);
            Sql.execute(tableLock, "LOCK TABLE holdfast_share_queue IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Answer> asked =
                    client.backend.tryAcquire(client.claim).toCompletableFuture();
            Awaitility.await().atMost(LONG).until(() -> waitingFor(first, "relation") >= 1);
            first.setAutoCommit(false);
            Sql.update(first, "INSERT INTO holdfast_fence (bucket, counter) VALUES (?, 1)", Tables.bucket(key));
            first.commit();
            Sql.query(
                    first,
                    "SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR UPDATE",
                    row -> row.getInt(1),
                    Tables.bucket(key));
            Sql.update(
                    first,
                    "INSERT INTO holdfast_share (" + Row.COLUMNS + ", name, slot) VALUES (" + Sql.marks(12) + ")",
                    Owner.random(client.environment.random()),
                    1L,
                    1,
                    1L,
                    client.environment.wallMicros() + 600_000_000,
                    "w",
                    "-",
                    "host",
                    1L,
                    "",
                    Tables.bytes(key),
                    0);
            tableLock.commit();
            // It waits for the row, whichever way it has gone.
            Awaitility.await().atMost(LONG).until(() -> waitingFor(first, "transactionid") >= 1);
            first.commit();
            assertThat(asked.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Busy.class);
            BareClient.get(client.backend.withdraw(key, client.claim.owner(), 1));
            Sql.update(first, "DELETE FROM holdfast_share WHERE name = ?", (Object) Tables.bytes(key));
            first.commit();
        }
    }

    private static int waitingFor(Connection connection, String what) throws SQLException {
        return Sql.query(
                        connection,
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = ?",
                        row -> row.getInt(1),
                        what)
                .get(0);
    }

    @Test
    void aWaiterIsToldAndNeedsTwoQuestions() throws Exception {
        // Hand-over across processes, often: each waiter asks once to queue and once when told. Nobody polls.
        Tapped tapped = new Tapped(pool(3));
        Holdfast holder = process(pool(3));
        // Listening has a connection of its own: a pool that is slow on a busy machine must not end it.
        JdbcBackend backend = JdbcBackend.over(tapped.dataSource())
                .listenOn(Databases.unpooled(url()))
                .connect();
        Holdfast waiter = closing(
                Holdfast.builder(backend).closeGrace(Duration.ofMillis(300)).build());
        handOver(holder, waiter);
        List<Integer> questions = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            int before = tapped.connections.get();
            handOver(holder, waiter);
            questions.add(tapped.connections.get() - before);
        }
        // Queue, claim, release. One more where the machine stood still for so long that the waiter asked by itself.
        Collections.sort(questions);
        assertThat(questions.get(0)).as("the least of %s", questions).isEqualTo(3);
        assertThat(questions.get(14)).as("three quarters of %s", questions).isEqualTo(3);
    }

    @Test
    void aListeningConnectionFromElsewhereDoesNotGiveWay() throws Exception {
        // The pool's only connection is in use for long. The listening connection is not from that pool, and used to be
        // given back all the same: for a minute the waiter was not told.
        HikariDataSource small = pool(1);
        Queue<BackendNotice> notices = new ConcurrentLinkedQueue<>();
        Holdfast waiter = closing(Holdfast.builder(JdbcBackend.over(small)
                        .listenOn(Databases.unpooled(url()))
                        .connect())
                .closeGrace(Duration.ofMillis(300))
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        notices.add(notice);
                    }
                })
                .build());
        Lease held = process(pool(2)).lock(name).acquire(LONG);
        CompletableFuture<Lease> next = waiter.lock(name).acquireAsync(Duration.ofMinutes(2));
        Awaitility.await().atMost(LONG).until(() -> countRows("holdfast_queue").contains(1L) && isAddressed());
        CompletableFuture<Lease> step;
        try (Connection taken = small.getConnection()) {
            step = waiter.lock("another").acquireAsync(Duration.ofMinutes(1));
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            Awaitility.await().atMost(LONG).until(() -> System.nanoTime() > until);
            assertThat(taken.isValid(5)).isTrue();
        }
        step.get(60, TimeUnit.SECONDS).close();
        // Others may tell that the machine stood still.
        assertThat(notices).noneMatch(notice -> notice.toString().contains("the listening connection"));
        held.close();
        next.get(60, TimeUnit.SECONDS).close();
    }

    private void handOver(Holdfast holder, Holdfast waiter) throws Exception {
        Lease held = holder.lock(name).acquire(LONG);
        CompletableFuture<Lease> next = waiter.lock(name).acquireAsync(LONG);
        Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> countRows("holdfast_queue").contains(1L) && isAddressed());
        held.close();
        next.get(60, TimeUnit.SECONDS).close();
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

    @Test
    void fourRightsOnThreeTablesAreEnough() throws Exception {
        // Somebody else has created the tables. What is looked at when connecting must need no more than locking does.
        try (Connection admin = Databases.unpooled(url()).getConnection()) {
            Sql.execute(admin, "CREATE ROLE modest LOGIN");
            Sql.execute(
                    admin,
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_lock, holdfast_queue, holdfast_fence TO modest");
        }
        String modest = url(port()).replace("user=postgres", "user=modest");
        try (Holdfast holder = Holdfast.over(JdbcBackend.connect(modest));
                Holdfast waiter = Holdfast.over(JdbcBackend.connect(modest))) {
            Lease lease = holder.lock(name).heldAtLeast(Duration.ofMillis(500)).acquire(LONG);
            CompletableFuture<Lease> wanted = waiter.lock(name).acquireAsync(LONG);
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> !holder.inspect(name).orElseThrow().waiters().isEmpty());
            lease.close();
            wanted.get(20, TimeUnit.SECONDS).close();
            assertThat(holder.diagnose()).noneMatch(finding -> finding.code().equals("jdbc.other-version"));
        }
    }
}
