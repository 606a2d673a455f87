package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.SentinelFailover;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The master behind sentinels is killed again and again, under writes that a guard in a database checks. */
@Timeout(3600)
class GuardedFailoverIT {
    private static final int KILLS = "long".equals(System.getProperty("holdfast.search")) ? 50 : 5;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    /** Who takes this before it acquires the lock waits between reading and writing. */
    private record Slow(CountDownLatch reading, CountDownLatch goOn) {}

    private final SentinelFailover failover = new SentinelFailover(sentinels);
    private final AtomicReference<@Nullable Slow> slow = new AtomicReference<>();
    private final SqlFence fence = SqlFence.of("account");
    private final AtomicInteger acknowledged = new AtomicInteger();
    /** Of those that were slow. */
    private final AtomicInteger refused = new AtomicInteger();

    private final AtomicInteger refusedOthers = new AtomicInteger();
    /** Every token that was brought to the guard. */
    private final Set<FencingToken> presented = ConcurrentHashMap.newKeySet();

    private JdbcConnectionPool database;

    @BeforeEach
    void open() throws SQLException {
        database = JdbcConnectionPool.create("jdbc:h2:mem:failover;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000", "sa", "");
        SqlFence.createTable(database);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance int not null)");
            statement.execute("insert into account values (1, 0)");
        }
    }

    @AfterEach
    void close() {
        database.dispose();
    }

    @Test
    void noAcknowledgedWriteIsLostHoweverOftenTheMasterDies() throws Exception {
        // A failover may forget who holds the lock: two may then read the same balance. The guard lets one of them
        // write.
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> writers = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Holdfast holdfast = Holdfast.builder(RedisBackend.connect(sentinels.url()))
                    .lease(Duration.ofSeconds(5))
                    .unavailableAfter(Duration.ofSeconds(60))
                    .build();
            clients.add(holdfast);
            writers.add(threads.submit(() -> writeUntil(over, holdfast)));
        }
        for (int kill = 0; kill < KILLS; kill++) {
            awaitWrites(acknowledged.get() + 20);
            failover.holdBackReplication("account");
            CountDownLatch reading = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            slow.set(new Slow(reading, goOn));
            assertThat(reading.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            failover.failOver("account");
            awaitWrites(acknowledged.get() + 20);
            goOn.countDown();
            failover.restore();
        }
        over.set(true);
        for (Future<?> writer : writers) {
            writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        threads.shutdown();
        clients.forEach(Holdfast::close);
        System.out.println("measured: " + acknowledged + " acknowledged writes over " + KILLS + " failovers, "
                + (refused.get() + refusedOthers.get()) + " refused by the guard");
        assertThat(refused.get()).as("slow writers that the guard refused").isEqualTo(KILLS);
        assertThat(balance()).isEqualTo(acknowledged.get());
    }

    private void awaitWrites(int count) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (acknowledged.get() < count) {
            assertThat(System.nanoTime() - deadline).as("writes go on").isNegative();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private Void writeUntil(AtomicBoolean over, Holdfast holdfast) throws Exception {
        while (!over.get()) {
            // The servers have to take over on the same machine.
            TimeUnit.MILLISECONDS.sleep(5);
            // Before it acquires the lock: one that was acquired earlier may be known to the replica.
            Slow slowly = slow.getAndSet(null);
            try (Lease lease = holdfast.lock("account").acquire(Duration.ofSeconds(60));
                    Connection connection = database.getConnection()) {
                addOne(connection, lease, slowly);
            } catch (StaleTokenException tooLate) {
                assertThat(tooLate.newest()).isGreaterThan(tooLate.presented()).isIn(presented);
                boolean wasSlow = slowly != null && slowly.reading().getCount() == 0;
                // Others outlive their leases only if this machine stands still for seconds.
                (wasSlow ? refused : refusedOthers).incrementAndGet();
            } catch (HoldfastException unavailable) {
                // Nobody serves at the moment.
            } finally {
                if (slowly != null && slowly.reading().getCount() > 0) {
                    slow.set(slowly);
                }
            }
        }
        return null;
    }

    private void addOne(Connection connection, Lease lease, @Nullable Slow slowly) throws Exception {
        connection.setAutoCommit(false);
        try {
            presented.add(lease.token());
            fence.announce(connection, lease.token());
            connection.commit();
            int read = balance(connection);
            connection.commit();
            if (slowly != null) {
                slowly.reading().countDown();
                slowly.goOn().await();
            }
            fence.check(connection, lease.token());
            try (PreparedStatement write = connection.prepareStatement("update account set balance = ? where id = 1")) {
                write.setInt(1, read + 1);
                write.executeUpdate();
            }
            connection.commit();
            acknowledged.incrementAndGet();
        } finally {
            connection.rollback();
        }
    }

    private int balance() throws SQLException {
        try (Connection connection = database.getConnection()) {
            return balance(connection);
        }
    }

    private static int balance(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select balance from account where id = 1")) {
            row.next();
            return row.getInt(1);
        }
    }
}
