package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.TokenRange;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** What goes wrong between an application, its pool and its database: the same on all of them. */
@Timeout(240)
abstract class FaultContract {
    static final Duration LONG = Duration.ofSeconds(20);

    private final List<AutoCloseable> opened = new ArrayList<>();
    String name;

    /** Of a database that has the tables. */
    public abstract String url();

    /** How many questions a waiter may ask in that time, once the lock has been held for a while. */
    abstract int questionsInFiveSeconds();

    @BeforeEach
    void name(TestInfo test) {
        name = getClass().getSimpleName() + "/" + test.getDisplayName();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    <T extends AutoCloseable> T closing(T resource) {
        opened.add(resource);
        return resource;
    }

    HikariDataSource pool(int size) {
        return closing(Databases.pool(url(), size));
    }

    Holdfast process(javax.sql.DataSource source) {
        return closing(Holdfast.builder(JdbcBackend.over(source).connect())
                .closeGrace(Duration.ofMillis(300))
                .build());
    }

    List<Long> countRows(String table) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(
                    connection,
                    "SELECT count(*) FROM " + table + " WHERE name = ?",
                    row -> row.getLong(1),
                    Tables.bytes(name));
        }
    }

    void awaitNothingLeft() {
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(countRows("holdfast_lock")).containsExactly(0L));
    }

    @Test
    void aClientClockThatIsAnHourOffHasNoEffect() throws Exception {
        // One process lives an hour ahead, the other an hour behind; each in turn must respect the other's lease.
        HikariDataSource pool = pool(6);
        List<Holdfast> processes = new ArrayList<>();
        for (Duration shift : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
            ShiftedClock clock = closing(new ShiftedClock(shift));
            processes.add(closing(Holdfast.builder(JdbcBackend.over(pool).connect())
                    .environment(clock)
                    .lease(Duration.ofMinutes(1))
                    .build()));
        }
        long before = 0;
        for (int round = 0; round < 4; round++) {
            Holdfast holder = processes.get(round % 2);
            Holdfast rival = processes.get((round + 1) % 2);
            try (Lease lease = holder.lock(name).acquire(LONG)) {
                assertThat(lease.token().value()).isGreaterThan(before);
                before = lease.token().value();
                assertThat(lease.remaining()).isBetween(LONG, Duration.ofMinutes(1));
                assertThat(rival.lock(name).tryAcquire()).isEmpty();
                LockState seen = rival.inspect(name).orElseThrow();
                assertThat(seen.remaining()).isBetween(LONG, Duration.ofMinutes(1));
            }
        }
        // The token is the database's time, which here is this machine's: neither an hour ahead nor behind.
        assertThat(before / 1_000 - System.currentTimeMillis()).isBetween(-60_000L, 60_000L);
    }

    @Test
    void deadlocksAndSerializationFailuresAreTriedAgain() throws Exception {
        // The database rolls back three statements in a row, of every kind. Nobody hears of it.
        Tapped tapped = new Tapped(pool(3));
        Holdfast process = process(tapped.dataSource());
        AtomicInteger left = new AtomicInteger();
        tapped.before = sql -> {
            if (left.getAndDecrement() > 0) {
                throw rolledBack();
            }
        };
        for (int round = 0; round < 3; round++) {
            left.set(3);
            Lease lease = process.lock(name).acquire(LONG);
            left.set(3);
            assertThat(process.inspect(name)).isPresent();
            left.set(3);
            lease.close();
            assertThat(left.get()).isNegative();
        }
        awaitNothingLeft();
    }

    @Test
    void theStatementsOfANewConnectionAreTriedAgainToo() throws Exception {
        // The first ones of a connection ask which session it is. A collision there was told as "no connection".
        Tapped tapped = new Tapped(pool(3));
        Holdfast process = process(tapped.dataSource());
        AtomicInteger left = new AtomicInteger(3);
        tapped.before = sql -> {
            if (left.getAndDecrement() > 0) {
                throw rolledBack();
            }
        };
        assertThat(process.inspect(name)).isEmpty();
        assertThat(left.get()).isNegative();
    }

    /** As this database reports it. */
    abstract SQLException rolledBack();

    /** Whether an acquisition is complete after this statement. */
    boolean grants(String sql) {
        return sql.contains("COMMIT");
    }

    @Test
    void anAnswerThatIsLostAfterTheStatementWasCarriedOutLeavesNothingBehind() throws Exception {
        // The acquire is committed, and its connection dies before the answer arrives: outcome unknown. It is withdrawn
        // by
        // owner and asked for anew; a rival need not wait for the lease to run out.
        HikariDataSource pool = pool(6);
        Tapped tapped = new Tapped(pool);
        Holdfast process = process(tapped.dataSource());
        process.lock(name).acquire(LONG).close();
        AtomicInteger lost = new AtomicInteger(2);
        tapped.after = sql -> {
            if (grants(sql) && lost.getAndDecrement() > 0) {
                throw new SQLException("the connection was lost", "08006");
            }
        };
        Lease lease = process.lock(name).acquire(LONG);
        assertThat(lost.get()).isNegative();
        lease.close();
        Holdfast rival = process(pool);
        rival.lock(name).acquire(Duration.ofSeconds(10)).close();
        awaitNothingLeft();
    }

    @Test
    void anExhaustedPoolIsAnOutageAndNotBusyAndEndsWithIt() throws Exception {
        // Somebody has taken all connections. Nothing is granted or lost; when they come back, so does the lock.
        HikariDataSource pool = pool(2);
        Holdfast process = process(pool);
        Lease held = process.lock(name + "/held").acquire(LONG);
        List<Connection> taken = List.of(pool.getConnection(), pool.getConnection());
        pool.setConnectionTimeout(1_000);
        assertThatThrownBy(() -> process.lock(name).acquire(Duration.ofMillis(1_500)))
                .isInstanceOf(LockUnavailableException.class);
        CompletableFuture<Lease> later = process.lock(name).acquireAsync(LONG);
        for (Connection each : taken) {
            each.close();
        }
        later.get(20, TimeUnit.SECONDS).close();
        assertThat(held.isValid()).isTrue();
        held.close();
        awaitNothingLeft();
    }

    @Test
    void onlyCallersThatWaitWithoutALimitLendTheirThread() throws Exception {
        // Whoever set a limit, or does not wait at all, must never be stuck in a statement or in the pool.
        Tapped tapped = new Tapped(pool(3));
        Holdfast process = process(tapped.dataSource());
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        tapped.before = sql -> threads.add(Thread.currentThread());
        // Unless the pool makes its callers wait, as one without a connection at hand does, or a machine that stands
        // still.
        Awaitility.await().atMost(LONG).pollInSameThread().untilAsserted(() -> {
            threads.clear();
            process.lock(name).acquire().close();
            assertThat(threads).containsExactly(Thread.currentThread());
        });
        threads.clear();
        process.lock(name).acquire(LONG).releaseAsync().get();
        process.lock(name).tryAcquire().orElseThrow().releaseAsync().get();
        process.lock(name).acquireAsync().get().releaseAsync().get();
        assertThat(threads).isNotEmpty().doesNotContain(Thread.currentThread());
    }

    @Test
    void aPoolOfOneConnectionIsEnough() throws Exception {
        // Two processes with one connection each, many threads, few names: holders, waiters and renewals share it.
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Holdfast process =
                    closing(Holdfast.builder(JdbcBackend.over(pool(1)).connect())
                            .cohort(2)
                            .closeGrace(Duration.ofMillis(300))
                            .build());
            // Held all the time, so that there is something to renew.
            process.lock(name + "/renewed/" + i)
                    .withLease(Duration.ofMillis(600))
                    .acquire(LONG);
            locks.add(process.lock(name + "/a"));
            locks.add(process.lock(name + "/b"));
        }
        int[] inside = new int[2];
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int which = i % 4;
            tasks.add(() -> {
                for (int round = 0; round < 5; round++) {
                    try (Lease lease = locks.get(which).acquire(Duration.ofSeconds(50))) {
                        inside[which % 2]++;
                        lease.ensureValid(Duration.ZERO);
                    }
                }
                return which;
            });
        }
        for (Future<Integer> each : threads.invokeAll(tasks)) {
            each.get();
        }
        threads.shutdown();
        // Unguarded counters: they add up only if nobody was inside together.
        assertThat(inside).containsExactly(20, 20);
    }

    @Test
    @Timeout(300)
    void aThousandWaitersDoNotBecomeAThousandConnections() throws Exception {
        // One process waits for a thousand names that another holds. All are patient: how long a thousand steps take is
        // the machine's business.
        Duration patience = Duration.ofMinutes(4);
        HikariDataSource few = pool(4);
        few.setConnectionTimeout(30_000);
        Holdfast holder = process(few);
        List<CompletableFuture<Lease>> held = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            held.add(holder.lock(name + "/" + i).acquireAsync(patience));
        }
        for (CompletableFuture<Lease> each : held) {
            each.get();
        }
        HikariDataSource small = pool(3);
        small.setConnectionTimeout(30_000);
        Holdfast waiter = process(small);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(waiter.lock(name + "/" + i).acquireAsync(patience));
        }
        List<CompletableFuture<Void>> released = new ArrayList<>();
        for (CompletableFuture<Lease> each : held) {
            released.add(each.join().releaseAsync());
        }
        for (CompletableFuture<Lease> each : waiting) {
            released.add(each.get().releaseAsync());
        }
        for (CompletableFuture<Void> each : released) {
            each.get();
        }
        assertThat(small.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(3);
    }

    @Test
    void manyClientsThatWaitForTheSameAreAllServed() throws Exception {
        // Twenty clients wait for one name, without a limit. Many who want the same are not an outage, on no database.
        HikariDataSource pool = pool(25);
        Lease first = process(pool).lock(name).acquire(LONG);
        Holdfast observer = process(pool);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(process(pool).lock(name).acquireAsync());
            int places = i + 1;
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> observer.inspect(name).orElseThrow().waiters().size() == places);
        }
        // Whoever cannot ask for two seconds, on a machine that is busy, is passed over; so not by number.
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Void>> served = new ArrayList<>();
        for (CompletableFuture<Lease> each : waiting) {
            served.add(each.thenCompose(lease -> {
                tokens.add(lease.token().value());
                return lease.releaseAsync();
            }));
        }
        first.close();
        for (CompletableFuture<Void> each : served) {
            each.get(100, TimeUnit.SECONDS);
        }
        assertThat(tokens).hasSize(20);
        awaitNothingLeft();
    }

    @Test
    void anIdleWaiterAsksSeldom() throws Exception {
        // The lock has been held for a minute. The questions of one waiter are counted for five seconds.
        Lease held = process(pool(2)).lock(name).acquire(LONG);
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            Sql.update(
                    connection,
                    "UPDATE holdfast_lock SET granted_at = granted_at - 60000000 WHERE name = ?",
                    Tables.bytes(name));
        }
        Tapped tapped = new Tapped(pool(3));
        CompletableFuture<Lease> waiting =
                process(tapped.dataSource()).lock(name).acquireAsync(Duration.ofMinutes(2));
        Awaitility.await().atMost(LONG).until(() -> countRows("holdfast_queue").contains(1L));
        passTime(1);
        // Where the machine is so busy that the waiter has not settled by then (it sweeps, and listens), once more.
        List<Double> asked = new ArrayList<>();
        do {
            asked.add(questionsOfFiveSeconds(tapped));
        } while (Collections.min(asked) > questionsInFiveSeconds() && asked.size() < 4);
        assertThat(asked).anyMatch(each -> each <= questionsInFiveSeconds());
        assertThat(waiting).isNotDone();
        waiting.cancel(false);
        held.close();
    }

    private double questionsOfFiveSeconds(Tapped tapped) {
        int before = tapped.connections.get();
        int statementsBefore = tapped.statements.get();
        long began = System.nanoTime();
        passTime(5);
        int asked = tapped.connections.get() - before;
        double fiveSeconds = (System.nanoTime() - began) / 5e9;
        System.out.printf(
                "measured: %s, idle waiter: %d questions in 5 s, %d statements%n",
                getClass().getSimpleName(), asked, tapped.statements.get() - statementsBefore);
        return asked / fiveSeconds;
    }

    /** What is measured here is what happens by itself in that time. */
    private static void passTime(int seconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Awaitility.await().atMost(LONG).until(() -> System.nanoTime() > until);
    }

    @Test
    void theSessionIsPutBackAsItWasFound() throws Exception {
        // The application's connections begin transactions by themselves and are serializable. Ours must not be.
        Connection only = closing(Databases.unpooled(url()).getConnection());
        only.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        only.setAutoCommit(false);
        HikariDataSource pool = pool(3);
        Tapped tapped = new Tapped(new Databases.Source(() -> Databases.unclosed(only)));
        Holdfast process = closing(Holdfast.over(
                JdbcBackend.over(tapped.dataSource()).connections(1).connect()));
        try (Lease lease = process.lock(name).acquire(LONG)) {
            assertThat(process(pool).lock(name).tryAcquire()).isEmpty();
            assertThat(lease.isValid()).isTrue();
        }
        awaitNothingLeft();
        // The process sweeps with the same connection, in its own time.
        Awaitility.await().atMost(LONG).untilAsserted(() -> {
            assertThat(only.getAutoCommit()).isFalse();
            assertThat(only.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        });
    }

    @Test
    void missingTablesAreRefusedWithWhatCreatesThem() {
        // Trying again would not help, so it fails at once and says what to run.
        Tapped tapped = new Tapped(pool(2));
        Holdfast process = closing(Holdfast.over(
                JdbcBackend.over(tapped.dataSource()).tablePrefix("elsewhere_").connect()));
        tapped.connections.set(0);
        assertThatThrownBy(() -> process.lock(name).acquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("CREATE TABLE IF NOT EXISTS elsewhere_lock")
                .cause()
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo("jdbc.tables-missing"));
        assertThat(tapped.connections).hasValue(1);
    }

    @Test
    void tablesCanHaveAnotherPrefixAndBeCreatedTwice() throws Exception {
        // Two applications share a database: the same name is not the same lock.
        HikariDataSource pool = pool(6);
        Holdfast theirs = closing(Holdfast.over(
                JdbcBackend.over(pool).tablePrefix("their_").createTables().connect()));
        closing(Holdfast.over(
                JdbcBackend.over(pool).tablePrefix("their_").createTables().connect()));
        try (Lease ours = process(pool).lock(name).acquire(LONG);
                Lease other = theirs.lock(name).acquire(LONG)) {
            assertThat(ours.isValid() && other.isValid()).isTrue();
        }
    }

    @Test
    void noTokenGoesBackWhenTheCountersAreLostHoweverLargeTheCohort() throws Exception {
        // Four names of one bucket, in blocks of up to a thousand. Above a thousand tenures a second they outran the
        // database's clock: when the counter was lost then, tokens went back by seconds.
        Holdfast process = closing(Holdfast.builder(JdbcBackend.over(pool(4)).connect())
                .cohort(1000)
                .build());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<List<TokenRange>>> running = new ArrayList<>();
        for (String each : namesOfOneBucket(4)) {
            running.add(threads.submit(() -> {
                List<TokenRange> blocks = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    blocks.add(block(process, each));
                }
                return blocks;
            }));
        }
        List<TokenRange> all = new ArrayList<>();
        for (Future<List<TokenRange>> each : running) {
            all.addAll(each.get());
        }
        threads.shutdown();
        all.sort(Comparator.comparing(TokenRange::last));
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).first()).isGreaterThan(all.get(i - 1).last());
        }
        long newest = all.get(all.size() - 1).last().value();
        setCounter(null);
        // SQLite tells the time in milliseconds.
        Awaitility.await().atMost(LONG).until(() -> databaseMicros() > newest);
        TokenRange next = block(process, name);
        assertThat(next.last().value()).isGreaterThan(newest);
        assertThat(next.first()).as("nobody knows what was given out below").isEqualTo(next.last());
    }

    @Test
    void tokensAreCountedOneByOneWhileTheClockIsBehindTheCounter() throws Exception {
        // The database's clock was set back by an hour. A block of a thousand moved the counter a thousand ahead each
        // time, so that the clock did not catch up.
        Holdfast process = closing(Holdfast.builder(JdbcBackend.over(pool(2)).connect())
                .cohort(1000)
                .build());
        block(process, name);
        long ahead = databaseMicros() + TimeUnit.HOURS.toMicros(1);
        setCounter(ahead);
        try {
            for (int i = 1; i <= 3; i++) {
                TokenRange block = block(process, name);
                assertThat(block.first().value()).isEqualTo(ahead + i);
                assertThat(block.last().value()).isEqualTo(ahead + i);
            }
            // The same for a waiter that is handed the lock.
            Lease held = process.lock(name).acquire(LONG);
            Holdfast other = closing(Holdfast.builder(JdbcBackend.over(pool(2)).connect())
                    .cohort(1000)
                    .build());
            CompletableFuture<Lease> waiting = other.lock(name).acquireAsync(LONG);
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> process.inspect(name).orElseThrow().waiters().size() == 1);
            held.close();
            try (Lease handed = waiting.get(20, TimeUnit.SECONDS)) {
                // One more for each turn that a busy machine lets lapse.
                assertThat(handed.token().value()).isBetween(ahead + 5, ahead + 50);
                assertThat(process.inspect(name).orElseThrow().tokens().first()).isEqualTo(handed.token());
            }
        } finally {
            setCounter(null);
        }
    }

    /** Which tokens a tenure of this name is given. */
    private TokenRange block(Holdfast process, String name) throws InterruptedException {
        try (Lease lease = process.lock(name).acquire(LONG)) {
            TokenRange block = process.inspect(name).orElseThrow().tokens();
            assertThat(block.contains(lease.token())).isTrue();
            return block;
        }
    }

    private List<String> namesOfOneBucket(int count) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> i == 0 ? name : name + "/" + i)
                .filter(each -> Tables.bucket(each) == Tables.bucket(name))
                .limit(count)
                .toList();
    }

    /** @param counter null: it is lost */
    private void setCounter(@Nullable Long counter) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            if (counter == null) {
                Sql.update(connection, "DELETE FROM holdfast_fence WHERE bucket = ?", Tables.bucket(name));
            } else {
                Sql.update(
                        connection,
                        "UPDATE holdfast_fence SET counter = ? WHERE bucket = ?",
                        counter,
                        Tables.bucket(name));
            }
        }
    }

    private long databaseMicros() throws SQLException {
        String now = Database.ofUrl(url()).orElseThrow().dialect().nowMicros();
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(connection, "SELECT " + now, row -> row.getLong(1)).get(0);
        }
    }

    @Test
    void tokensGrowEvenIfTheCountersAreLost() throws Exception {
        // Somebody empties the table of counters between two tenures: the database's clock takes over.
        Holdfast process = process(pool(2));
        long before = 0;
        for (int round = 0; round < 3; round++) {
            try (Lease lease = process.lock(name).acquire(LONG)) {
                assertThat(lease.token().value()).isGreaterThan(before);
                before = lease.token().value();
            }
            setCounter(null);
            // SQLite tells the time in milliseconds.
            long newest = before;
            Awaitility.await().atMost(LONG).until(() -> databaseMicros() > newest);
        }
    }

    @Test
    void expiredRowsThatNobodyAsksForAreSwept() throws Exception {
        // A process died long ago and left its locks. The next one that comes cleans up.
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            for (int i = 0; i < 3; i++) {
                Sql.update(
                        connection,
                        "INSERT INTO holdfast_lock (" + Row.COLUMNS + ", name) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                        "AAAAAAAAAAAAAAAAAAAAAA",
                        1L,
                        1,
                        1L,
                        2L,
                        "x",
                        "-",
                        "host",
                        1L,
                        "",
                        Tables.bytes(name + "/" + i));
            }
        }
        process(pool(2)).lock(name).acquire(LONG).close();
        Awaitility.await().atMost(LONG).untilAsserted(() -> {
            try (Connection connection = Databases.unpooled(url()).getConnection()) {
                assertThat(Sql.query(
                                connection,
                                "SELECT count(*) FROM holdfast_lock WHERE expires_at = 2",
                                row -> row.getLong(1)))
                        .containsExactly(0L);
            }
        });
    }
}
