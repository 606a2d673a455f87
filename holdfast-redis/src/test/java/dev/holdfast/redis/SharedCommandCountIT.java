package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Acquirable;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What permits, readers and writers cost the server, counted by the server itself, commands inside scripts included. */
@Timeout(240)
class SharedCommandCountIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PERMITS = 8;
    private static final int ACQUISITIONS = 3200;

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client() throws InterruptedException {
        // Leases that are not renewed while the commands are counted.
        Duration lease = Duration.ofMinutes(10);
        Holdfast holdfast = Holdfast.builder(Patient.backend(redis.url()))
                .lease(lease)
                .maxLease(lease)
                // A claim that was dropped with its answer under way is taken back a second time, after the timeout.
                .closeGrace(Duration.ZERO)
                .build();
        // The scripts are known to the server, and its time to us.
        for (int i = 0; i < 2; i++) {
            holdfast.semaphore("warm-up", PERMITS).acquire(PATIENCE).close();
            holdfast.readWriteLock("warm-up").read().acquire(PATIENCE).close();
        }
        return holdfast;
    }

    private static double commandsPerPair(Function<Holdfast, Acquirable<?>> what) throws Exception {
        try (Holdfast holdfast = client()) {
            redis.resetCounts();
            for (int i = 0; i < 100; i++) {
                what.apply(holdfast).acquire(PATIENCE).close();
            }
            assertThat(redis.calls("evalsha")).isEqualTo(200);
            assertThat(redis.calls("publish")).isZero();
            return redis.allCalls() / 100.0;
        }
    }

    @Test
    void anUncontendedPermitTakesWhatALockTakes() throws Exception {
        assertThat(commandsPerPair(holdfast -> holdfast.semaphore("alone", PERMITS)))
                .isEqualTo(10);
    }

    @Test
    void anUncontendedReaderOrWriterTakesThreeMore() throws Exception {
        assertThat(commandsPerPair(holdfast -> holdfast.readWriteLock("alone").read()))
                .isEqualTo(13);
        assertThat(commandsPerPair(holdfast -> holdfast.readWriteLock("alone").write()))
                .isEqualTo(13);
    }

    @Test
    void contendedPermitsTakeAboutOneCommandEach() throws Exception {
        // 64 threads in four clients on eight permits: most go on from thread to thread, inside a process.
        List<Holdfast> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(client());
            }
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger left = new AtomicInteger(ACQUISITIONS);
            CountDownLatch inLine = new CountDownLatch(64);
            redis.resetCounts();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                Holdfast holdfast = clients.get(i % 4);
                CompletableFuture<Void> done = new CompletableFuture<>();
                threads.add(done);
                new Thread(() -> contend(holdfast, inLine, left, inside, done)).start();
            }
            for (CompletableFuture<Void> thread : threads) {
                thread.get();
            }
            assertThat((double) redis.allCalls() / ACQUISITIONS).isLessThanOrEqualTo(2);
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    /**
     * Stands in line again before it lets go, and all end together: so all wait all the time, however the machine schedules
     * threads.
     */
    private static void contend(
            Holdfast holdfast,
            CountDownLatch inLine,
            AtomicInteger left,
            AtomicInteger inside,
            CompletableFuture<Void> done) {
        try {
            CompletableFuture<Lease> next =
                    holdfast.semaphore("contended", PERMITS).acquireAsync(PATIENCE);
            inLine.countDown();
            inLine.await();
            boolean more = true;
            while (more) {
                Lease lease = next.get();
                assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(PERMITS);
                more = left.decrementAndGet() > 0;
                if (more) {
                    next = holdfast.semaphore("contended", PERMITS).acquireAsync(PATIENCE);
                }
                assertThat(lease.isValid()).isTrue();
                inside.decrementAndGet();
                lease.close();
            }
            done.complete(null);
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }
}
