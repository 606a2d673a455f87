package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a lock costs the server, counted by the server itself, commands inside scripts included. */
@Timeout(240)
class CommandCountIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client(int cohort) throws InterruptedException {
        // Leases that are not renewed while the commands are counted.
        Duration lease = Duration.ofMinutes(10);
        Holdfast holdfast = Holdfast.builder(Patient.backend(redis.url()))
                .cohort(cohort)
                .lease(lease)
                .maxLease(lease)
                .build();
        // The scripts are known to the server, and its time to us.
        for (int i = 0; i < 2; i++) {
            holdfast.lock("warm-up").acquire(PATIENCE).close();
        }
        return holdfast;
    }

    @Test
    void anUncontendedAcquisitionTakesTwoRequestsAndAtMostTenCommands() throws Exception {
        // One client, nobody else. A hundred times, so that what is rare would show.
        try (Holdfast holdfast = client(16)) {
            redis.resetCounts();
            for (int i = 0; i < 100; i++) {
                try (Lease lease = holdfast.lock("alone-" + i).acquire(PATIENCE)) {
                    assertThat(lease.token().value()).isPositive();
                }
            }
            assertThat(redis.calls("evalsha")).isEqualTo(200);
            assertThat(redis.calls("publish")).isZero();
            assertThat(redis.allCalls()).isEqualTo(1000);
        }
    }

    @Test
    void contendedAcquisitionsOfACohortTakeAboutOneCommandEach() throws Exception {
        // Sixteen threads in four clients, one name, the default cohort.
        assertThat(commandsPerAcquisition(16, 200)).isLessThanOrEqualTo(1.2);
    }

    @Test
    void contendedAcquisitionsWithoutCohortTakeAboutTwelve() throws Exception {
        // The same with the cohort off: every acquisition is a hand-over at the server.
        assertThat(commandsPerAcquisition(1, 25)).isLessThanOrEqualTo(13);
    }

    private static double commandsPerAcquisition(int cohort, int timesPerThread) throws Exception {
        List<Holdfast> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(client(cohort));
            }
            AtomicInteger inside = new AtomicInteger();
            redis.resetCounts();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                Holdfast holdfast = clients.get(i % 4);
                CompletableFuture<Void> done = new CompletableFuture<>();
                threads.add(done);
                new Thread(() -> contend(holdfast, timesPerThread, inside, done)).start();
            }
            for (CompletableFuture<Void> thread : threads) {
                thread.get();
            }
            return (double) redis.allCalls() / (16 * timesPerThread);
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    /** Stands in line again before it lets go: so sixteen wait all the time, however the machine schedules threads. */
    private static void contend(Holdfast holdfast, int times, AtomicInteger inside, CompletableFuture<Void> done) {
        try {
            CompletableFuture<Lease> next = holdfast.lock("contended").acquireAsync(PATIENCE);
            for (int i = 1; i <= times; i++) {
                Lease lease = next.get();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                if (i < times) {
                    next = holdfast.lock("contended").acquireAsync(PATIENCE);
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

    @Test
    void whoWaitsLooksOnceInSeconds() throws Exception {
        // One client holds, another waits for two seconds. In that time it looks once, or not at all: one request of
        // four
        // commands.
        try (Holdfast holder = client(16);
                Holdfast waiter = client(16)) {
            Lease held = holder.lock("waited-for").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("waited-for").acquireAsync();
            await().atMost(PATIENCE)
                    .until(() ->
                            holder.inspect("waited-for").orElseThrow().waiters().size() == 1);
            long began = System.nanoTime();
            redis.resetCounts();
            CompletableFuture<Lease> tooEarly = waiting.copy().orTimeout(2, TimeUnit.SECONDS);
            assertThat(tooEarly.handle((lease, failure) -> failure == null).get())
                    .isFalse();
            long requests = redis.calls("evalsha") + redis.calls("eval");
            long all = redis.allCalls();
            long looks = 1 + (System.nanoTime() - began) / 2_500_000_000L;
            assertThat(requests).isLessThanOrEqualTo(looks);
            assertThat(all).isLessThanOrEqualTo(4 * looks);
            held.close();
            waiting.get().close();
        }
    }
}
