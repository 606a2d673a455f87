package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writers that lose their leases all the time, on a real PostgreSQL, and a number that must come out exact. */
class FencedIncrementsIT {
    private static final int WRITERS = 16;
    private static final int CLIENTS = 4;
    /** What is enough, or as many as come in that time. */
    private static final int INCREMENTS = 1_000;

    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(25);
    /** How long somebody who has lost the lock waits for the next one to come. */
    private static final long OVERTAKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** Shorter than the work it protects, more often than not. */
    private static final Duration LEASE = Duration.ofMillis(15);

    @RegisterExtension
    static final PostgreSqlServer server = new PostgreSqlServer();

    /** The newest token that the fence knows. */
    private final AtomicLong announced = new AtomicLong();

    @Test
    @Timeout(240)
    void everyAcknowledgedIncrementIsThereAndNoOther() throws Exception {
        // Sixteen writers read, dawdle past their lease, and write what they read plus one. The lock alone cannot help
        // them; the fence refuses every one that was overtaken.
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        try (HikariDataSource pool = server.pool(40)) {
            SqlNumber.createTables(pool);
            SqlNumber number = SqlNumber.create(pool, 1, false);
            List<Holdfast> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(Holdfast.builder(JdbcBackend.over(pool).connect())
                        .cohort(1)
                        .closeGrace(Duration.ZERO)
                        .build());
            }
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            Executor threads = task -> new Thread(task).start();
            for (int i = 0; i < WRITERS; i++) {
                Holdfast client = clients.get(i % CLIENTS);
                writers.add(CompletableFuture.runAsync(() -> write(client, pool, acknowledged, refused), threads));
            }
            CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).join();
            clients.forEach(Holdfast::close);

            System.out.printf(
                    "measured: %d increments acknowledged, %d stale ones refused%n", acknowledged.get(), refused.get());
            assertThat(acknowledged.get()).isPositive();
            assertThat(refused.get()).isPositive();
            assertThat(number.read()).isEqualTo(acknowledged.get());
        }
    }

    private void write(Holdfast client, DataSource pool, AtomicInteger acknowledged, AtomicInteger refused) {
        SqlFence fence = SqlFence.of("number-1");
        long end = System.nanoTime() + ENOUGH_NANOS;
        while (acknowledged.get() < INCREMENTS && System.nanoTime() - end < 0) {
            try (Lease lease = client.lock("number").withLease(LEASE).fixed().acquire(Duration.ofSeconds(20))) {
                long seen = SqlNumber.transaction(pool, connection -> {
                    fence.announce(connection, lease.token());
                    return read(connection);
                });
                announced.accumulateAndGet(lease.token().value(), Math::max);
                dawdle(lease);
                SqlNumber.transaction(pool, connection -> {
                    fence.check(connection, lease.token());
                    return Sql.update(connection, "UPDATE number SET amount = ? WHERE id = 1", seen + 1);
                });
                acknowledged.incrementAndGet();
            } catch (StaleTokenException e) {
                refused.incrementAndGet();
            } catch (LockTimeoutException | LockUnavailableException busy) {
                // Somebody else's turn, for once; or the machine is so slow that every grant comes after its end.
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static long read(Connection connection) throws SQLException {
        return Sql.query(connection, "SELECT amount FROM number WHERE id = 1", row -> row.getLong(1))
                .get(0);
    }

    /** Every fourth lease is outlived on purpose, until somebody else was there, whatever the speed of the machine. */
    private void dawdle(Lease lease) {
        if (lease.token().value() % 4 != 0) {
            return;
        }
        long end = System.nanoTime() + OVERTAKEN_NANOS;
        // At the end there may be nobody else.
        while (lease.isValid() || (announced.get() <= lease.token().value() && System.nanoTime() - end < 0)) {
            LockSupport.parkNanos(100_000);
        }
    }
}
