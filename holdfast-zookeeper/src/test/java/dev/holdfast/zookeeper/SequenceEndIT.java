package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A name that was never idle for so long that the server has no numbers left for its claims. */
@Timeout(240)
class SequenceEndIT {
    @RegisterExtension
    static final InProcessServer server = new InProcessServer();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int CLIENTS = 3;
    private static final Paths PATHS = Paths.below("/holdfast");

    private final List<Holdfast> clients = new ArrayList<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger backward = new AtomicInteger();
    private final AtomicLong newest = new AtomicLong();
    private Neighbour observer;

    @BeforeEach
    void connect() {
        observer = new Neighbour(server.address());
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Holdfast.over(Clients.of(server.address(), Clients.LONG).connect()));
        }
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        observer.close();
    }

    @Test
    void clientsThatContendAtTheVeryEndExcludeEachOther() throws Exception {
        // Every claim used to get the number 2147483647: three leases were valid at once, and tokens went back.
        contend("the very end", Integer.MAX_VALUE - 2);
    }

    @Test
    void clientsThatContendMoveToNewNumbersTogether() throws Exception {
        // Some have numbers already and are served, the others have to wait until the old queue is empty.
        contend("moving", Renumbering.LAST - 10);
    }

    private void contend(String name, int next) throws Exception {
        clients.get(0).lock(name).acquire(PATIENCE).close();
        server.setSequence(PATHS.lock(name), next);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (Holdfast client : clients) {
                workers.add(threads.submit(() -> work(client, name)));
            }
            for (Future<?> worker : workers) {
                worker.get(90, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(overlaps).hasValue(0);
        assertThat(backward).hasValue(0);
        try (Lease lease = clients.get(0).lock(name).acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            String claim = observer.claims(name).get(0);
            assertThat(QueuedClaim.parse(claim.substring(claim.lastIndexOf('/') + 1))
                            .sequence())
                    .isLessThan(1000);
        }
    }

    private Void work(Holdfast client, String name) throws Exception {
        for (int i = 0; i < 25; i++) {
            try (Lease lease = client.lock(name).acquire(PATIENCE)) {
                if (inside.incrementAndGet() != 1) {
                    overlaps.incrementAndGet();
                }
                if (newest.getAndSet(lease.token().value()) >= lease.token().value()) {
                    backward.incrementAndGet();
                }
                Thread.onSpinWait();
                inside.decrementAndGet();
            }
        }
        return null;
    }

    @Test
    void whoeverStandsInLineIsServedBeforeItBeginsAnew() throws Exception {
        // The holder has a number and keeps the lock; those who come later find it taken, however they ask.
        clients.get(0).lock("held").acquire(PATIENCE).close();
        server.setSequence(PATHS.lock("held"), Renumbering.LAST);
        Lease held = clients.get(0).lock("held").acquire(PATIENCE);
        assertThat(clients.get(1).lock("held").tryAcquire()).isEmpty();
        CompletableFuture<Lease> waiting = clients.get(2).lock("held").acquireAsync(Duration.ofMinutes(2));
        // Whoever got no answer within that second, on a busy machine, asks again.
        await("busy").atMost(PATIENCE).until(() -> isBusy(clients.get(1)));
        assertThat(waiting).isNotDone();
        assertThat(held.isValid()).isTrue();
        long token = held.token().value();
        held.close();
        try (Lease next = waiting.get(40, TimeUnit.SECONDS)) {
            assertThat(next.token().value()).isGreaterThan(token);
        }
    }

    @Test
    void theQueueOfASemaphoreBeginsAnewWhileItsSlotsAreTaken() throws Exception {
        // Somebody may keep a permit for ever.
        String key = LockKey.semaphore("permits").encoded();
        Lease kept = clients.get(0).semaphore("permits", 2).acquire(PATIENCE);
        Lease first = clients.get(0).semaphore("permits", 2).acquire(PATIENCE);
        CompletableFuture<Lease> second = clients.get(1).semaphore("permits", 2).acquireAsync(PATIENCE);
        await("queued").atMost(PATIENCE).until(() -> observer.claims(key).size() == 1);
        first.close();
        Lease held = second.get(40, TimeUnit.SECONDS);
        server.setSequence(PATHS.lock(key), Integer.MAX_VALUE - 2);
        CompletableFuture<Lease> third = clients.get(2).semaphore("permits", 2).acquireAsync(Duration.ofMinutes(2));
        await("queued anew").atMost(PATIENCE).until(() -> {
            List<String> claims = observer.claims(key);
            return claims.size() == 1 && claims.get(0).endsWith("-0000000000");
        });
        held.close();
        try (Lease lease = third.get(40, TimeUnit.SECONDS)) {
            assertThat(lease.slot()).isEqualTo(held.slot());
            assertThat(lease.token()).isGreaterThan(held.token());
        }
        assertThat(kept.isValid()).isTrue();
        kept.close();
    }

    private static boolean isBusy(Holdfast client) throws InterruptedException {
        try {
            assertThat(client.lock("held").tryAcquire(Duration.ofSeconds(1))).isEmpty();
            return true;
        } catch (LockUnavailableException unanswered) {
            return false;
        }
    }

    @Test
    void aNodeThatIsNoClaimKeepsALineFromBeginningAnewAndIsNamed() throws Exception {
        // It cannot be told whether it may be removed, so a person has to.
        clients.get(0).lock("blocked").acquire(PATIENCE).close();
        observer.curator().create().forPath(PATHS.lock("blocked") + "/notes");
        server.setSequence(PATHS.lock("blocked"), Integer.MAX_VALUE - 2);
        assertThatThrownBy(() -> clients.get(0).lock("blocked").acquire(PATIENCE))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("Remove what is below it");
        observer.delete(PATHS.lock("blocked") + "/notes");
        await("free again").atMost(PATIENCE).ignoreExceptions().until(() -> {
            clients.get(0).lock("blocked").acquire(PATIENCE).close();
            return true;
        });
    }
}
