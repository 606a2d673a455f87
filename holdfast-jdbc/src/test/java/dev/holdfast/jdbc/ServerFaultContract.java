package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.Loss;
import dev.holdfast.TenureHandle;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What goes wrong where the database is a server of its own, with a queue. */
abstract class ServerFaultContract extends FaultContract {
    abstract int port();

    /** The same database, reached on another port. */
    abstract String url(int port);

    abstract void stopServer() throws Exception;

    abstract void startServer() throws Exception;

    abstract boolean isDeadlock(SQLException failure);

    @Test
    void aServerThatIsRestartedWhileTheLockIsHeldAndWaitedForForgetsNothing() throws Exception {
        // The server goes away and comes back within the lease. The holder holds on, the waiter waits on.
        Holdfast holder = closing(Holdfast.builder(JdbcBackend.over(pool(3)).connect())
                .maxLease(Duration.ofMinutes(5))
                .lease(Duration.ofMinutes(5))
                .build());
        Holdfast waiter = process(pool(3));
        Queue<Loss> losses = new ConcurrentLinkedQueue<>();
        Lease held = holder.lock(name).acquire(LONG);
        held.onLost(losses::add);
        CompletableFuture<Lease> waiting = waiter.lock(name).acquireAsync(Duration.ofMinutes(3));
        Awaitility.await().atMost(LONG).until(() -> countRows("holdfast_queue").contains(1L));
        stopServer();
        assertThat(held.isValid()).isTrue();
        startServer();
        assertThat(process(pool(2)).lock(name).tryAcquire()).isEmpty();
        assertThat(waiting).isNotDone();
        assertThat(losses).isEmpty();
        held.close();
        // Pools pause before they connect again.
        try (Lease next = waiting.get(60, TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
        awaitNothingLeft();
    }

    @Test
    void anAnswerThatIsCutOnTheWireLeavesNothingBehind() throws Exception {
        // The statement reaches the server, its answer does not reach us. Three times, in whatever step it may be.
        CuttingProxy proxy = closing(new CuttingProxy(port()));
        HikariDataSource pool = closing(Databases.pool(url(proxy.port()), 2));
        Holdfast process = process(pool);
        for (int round = 1; round <= 3; round++) {
            process.lock(name).acquire(LONG).close();
            proxy.swallowAnswers(1);
            int cut = round;
            Lease lease = process.lock(name).acquire(LONG);
            Awaitility.await().atMost(LONG).until(() -> proxy.swallowed() == cut);
            lease.close();
        }
        // Well before any lease would have run out.
        process(pool(2)).lock(name).acquire(Duration.ofSeconds(10)).close();
        awaitNothingLeft();
    }

    @Test
    void aRealDeadlockIsTriedAgain() throws Exception {
        // Somebody has the lock's row and wants the bucket; our withdrawal has the bucket and wants the row. The
        // database
        // rolls one of them back, sooner or later us.
        Tapped tapped = new Tapped(pool(2));
        // Longer than it takes until the deadlock stands and is found, on a busy machine.
        JdbcBackend backend = closing(
                JdbcBackend.over(tapped.dataSource()).commandTimeout(LONG).connect());
        ShiftedClock environment = closing(new ShiftedClock(Duration.ZERO));
        backend.open(environment, Ignored.EVENTS);
        // Which one it is may depend on who began to wait first, and so on the machine.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (tapped.failures.stream().noneMatch(this::isDeadlock) && System.nanoTime() - deadline < 0) {
            Claim claim = claim(environment);
            backend.tryAcquire(claim).toCompletableFuture().get(20, TimeUnit.SECONDS);
            try (Connection other = Databases.unpooled(url()).getConnection()) {
                other.setAutoCommit(false);
                Sql.update(other, "UPDATE holdfast_fence SET counter = counter WHERE bucket = ?", otherBucket());
                Sql.update(other, "UPDATE holdfast_lock SET pid = 0 WHERE name = ?", Tables.bytes(name));
                CompletableFuture<Void> withdrawn =
                        backend.withdraw(name, claim.owner(), 1).toCompletableFuture();
                Awaitility.await().atMost(LONG).until(this::isBucketTaken);
                try {
                    Sql.query(
                            other,
                            "SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR UPDATE",
                            row -> row.getInt(1),
                            Tables.bucket(name));
                } catch (SQLException e) {
                    assertThat(isDeadlock(e)).isTrue();
                }
                other.rollback();
                withdrawn.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(tapped.failures).anyMatch(this::isDeadlock);
        awaitNothingLeft();
    }

    private int otherBucket() {
        return (Tables.bucket(name) + 1) % Tables.BUCKETS;
    }

    private boolean isBucketTaken() throws SQLException {
        return isBucketTaken(name);
    }

    private boolean isBucketTaken(String key) throws SQLException {
        try (Connection probe = Databases.unpooled(url()).getConnection()) {
            probe.setAutoCommit(false);
            return Sql.query(
                            probe,
                            "SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR UPDATE SKIP LOCKED",
                            row -> row.getInt(1),
                            Tables.bucket(key))
                    .isEmpty();
        }
    }

    @Test
    void anAcquireThatIsCarriedOutTooLateIsRefusedByTheDatabase() throws Exception {
        // Somebody keeps the bucket for longer than the command timeout. When the acquire gets there at last, its
        // caller
        // is long gone: granting it would lock everybody out for a lease.
        HikariDataSource pool = pool(3);
        JdbcBackend impatient = closing(
                JdbcBackend.over(pool).commandTimeout(Duration.ofSeconds(1)).connect());
        JdbcBackend patient =
                closing(JdbcBackend.over(pool).commandTimeout(LONG).connect());
        ShiftedClock environment = closing(new ShiftedClock(Duration.ZERO));
        impatient.open(environment, Ignored.EVENTS);
        patient.open(environment, Ignored.EVENTS);
        Claim first = claim(environment);
        // A second is little for a first connection on a busy machine, and the impatient one has to know the time.
        AtomicLong roundTrip = new AtomicLong();
        Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> {
            long began = System.nanoTime();
            Answer answer = impatient.tryAcquire(first).toCompletableFuture().get();
            roundTrip.set(System.nanoTime() - began);
            return answer instanceof Answer.Granted;
        });
        patient.withdraw(name, first.owner(), 1).toCompletableFuture().get();
        try (Connection other = Databases.unpooled(url()).getConnection()) {
            other.setAutoCommit(false);
            Sql.query(
                    other,
                    "SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR UPDATE",
                    row -> row.getInt(1),
                    Tables.bucket(name));
            CompletableFuture<?> late = impatient.tryAcquire(claim(environment)).toCompletableFuture();
            Awaitility.await().atMost(LONG).until(late::isDone);
            // Its second is over. The database's clock is known to within a round trip, and that may take long on a
            // busy
            // machine.
            long certain = System.nanoTime() + TimeUnit.SECONDS.toNanos(2) + roundTrip.get();
            Awaitility.await().atMost(LONG).until(() -> System.nanoTime() - certain > 0);
            assertThat(late).failsWithin(Duration.ZERO).withThrowableOfType(ExecutionException.class);
            other.commit();
        }
        // Behind it in the row's queue: when this one is through, the late one was, too.
        patient.withdraw(name, first.owner(), 1).toCompletableFuture().get();
        assertThat(countRows("holdfast_lock")).containsExactly(0L);
        assertThat(countRows("holdfast_queue")).containsExactly(0L);
    }

    @Test
    void aRenewalThatIsCommittedLateIsNotOverwritten() throws Exception {
        // A renewal was in time, and its commit takes until after the old lease has ended. A rival that sees only the
        // old
        // lease asks in between: granting it the lock would make two holders.
        JdbcBackend backend =
                closing(JdbcBackend.over(pool(2)).commandTimeout(LONG).connect());
        ShiftedClock environment = closing(new ShiftedClock(Duration.ZERO));
        backend.open(environment, Ignored.EVENTS);
        Claim claim = claim(environment);
        backend.tryAcquire(claim).toCompletableFuture().get(20, TimeUnit.SECONDS);
        long expired = System.currentTimeMillis() * 1_000 - 1_000_000;
        try (Connection renewing = Databases.unpooled(url()).getConnection()) {
            Sql.update(renewing, "UPDATE holdfast_lock SET expires_at = ? WHERE name = ?", expired, Tables.bytes(name));
            renewing.setAutoCommit(false);
            Sql.update(
                    renewing,
                    "UPDATE holdfast_lock SET expires_at = ? WHERE name = ?",
                    expired + 60_000_000,
                    Tables.bytes(name));
            CompletableFuture<Answer> rival =
                    backend.tryAcquire(claim(environment)).toCompletableFuture();
            Awaitility.await().atMost(LONG).until(this::isBucketTaken);
            renewing.commit();
            assertThat(rival.get(20, TimeUnit.SECONDS)).isInstanceOf(Answer.Busy.class);
        }
        assertThat(backend.describe(name).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(state -> assertThat(state.tenure()).isEqualTo(TenureHandle.of(claim.owner())));
        backend.withdraw(name, claim.owner(), 1).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Test
    void aRenewalOfAReaderThatIsCommittedLateKeepsWritersOut() throws Exception {
        // Two readers. The renewal of one was in time, and its commit takes until after the old lease has ended. A
        // writer
        // that sees only the old leases asks in between: granting it the lock would put it beside a reader.
        JdbcBackend backend =
                closing(JdbcBackend.over(pool(2)).commandTimeout(LONG).connect());
        ShiftedClock environment = closing(new ShiftedClock(Duration.ZERO));
        backend.open(environment, Ignored.EVENTS);
        String key = LockKey.readWriteLock(name).encoded();
        Claim first = claim(environment, key).forReading();
        Claim second = claim(environment, key).forReading();
        for (Claim each : List.of(first, second)) {
            assertThat(backend.tryAcquire(each).toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isInstanceOf(Answer.Granted.class);
        }
        long expired = System.currentTimeMillis() * 1_000 - 1_000_000;
        try (Connection renewing = Databases.unpooled(url()).getConnection()) {
            Sql.update(renewing, "UPDATE holdfast_share SET expires_at = ? WHERE name = ?", expired, Tables.bytes(key));
            renewing.setAutoCommit(false);
            Sql.update(
                    renewing,
                    "UPDATE holdfast_share SET expires_at = ? WHERE name = ? AND owner = ?",
                    expired + 60_000_000,
                    Tables.bytes(key),
                    second.owner());
            CompletableFuture<Answer> writer =
                    backend.tryAcquire(claim(environment, key)).toCompletableFuture();
            Awaitility.await().atMost(LONG).until(() -> isBucketTaken(key));
            renewing.commit();
            assertThat(writer.get(20, TimeUnit.SECONDS)).isInstanceOf(Answer.Busy.class);
        }
        assertThat(backend.describe(key).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(state -> assertThat(state.tenure()).isEqualTo(TenureHandle.of(second.owner())));
        backend.withdraw(key, second.owner(), 1).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private Claim claim(ShiftedClock environment) {
        return claim(environment, name);
    }

    private static Claim claim(ShiftedClock environment, String key) {
        Owner owner = Owner.random(environment.random());
        return Claim.of(key, owner, Duration.ofSeconds(30), 1, new Holder("here", 1, ""))
                .queuedSince(1);
    }
}
