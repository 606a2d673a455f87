package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Acquirable;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often rivals split the vote: sixteen contenders in four clients, every acquisition through the servers. */
@Timeout(300)
class RedlockAttemptsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int TIMES = 25;

    @Test
    void withAllServersUpAnAcquisitionTakesHardlyMoreThanOneRound() throws Exception {
        // Whoever waits stands in line at one server and comes when it is its turn.
        try (Five five = Five.servers().start()) {
            assertThat(roundsPerAcquisition(five, 1, RedlockAttemptsIT::lock)).isLessThanOrEqualTo(1.3);
        }
    }

    @Test
    void aPermitOfASemaphoreTakesHardlyMore() throws Exception {
        // Those who come at the same moment are told different slots.
        try (Five five = Five.servers().start()) {
            assertThat(roundsPerAcquisition(five, 3, holdfast -> holdfast.semaphore("contended", 3)))
                    .isLessThanOrEqualTo(1.5);
        }
    }

    @Test
    void withTwoServersKilledItTakesAtMostTwo() throws Exception {
        // Every server that is left has to agree, so one vote in the wrong place is enough to fail.
        try (Five five = Five.servers().start()) {
            five.get(1).kill();
            five.get(3).kill();
            assertThat(roundsPerAcquisition(five, 1, RedlockAttemptsIT::lock)).isLessThanOrEqualTo(2);
        }
    }

    private static Acquirable<?> lock(Holdfast holdfast) {
        return holdfast.lock("contended");
    }

    private static double roundsPerAcquisition(Five five, int most, Function<Holdfast, Acquirable<?>> wanted)
            throws Exception {
        List<RedlockBackend> backends = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                RedlockBackend backend = Patient.quorum(five.url()).connect();
                backends.add(backend);
                clients.add(Holdfast.builder(backend).cohort(1).build());
            }
            AtomicInteger inside = new AtomicInteger();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                Acquirable<?> acquirable = wanted.apply(clients.get(i % 4));
                CompletableFuture<Void> done = new CompletableFuture<>();
                threads.add(done);
                new Thread(() -> contend(acquirable, most, inside, done)).start();
            }
            for (CompletableFuture<Void> thread : threads) {
                thread.get();
            }
            return (double) backends.stream()
                            .mapToLong(RedlockBackend::attempts)
                            .sum()
                    / (16 * TIMES);
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    private static void contend(Acquirable<?> wanted, int most, AtomicInteger inside, CompletableFuture<Void> done) {
        try {
            for (int i = 0; i < TIMES; i++) {
                try (Lease lease = wanted.acquire(PATIENCE)) {
                    assertThat(lease.isValid()).isTrue();
                    assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(most);
                    inside.decrementAndGet();
                }
            }
            done.complete(null);
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }
}
