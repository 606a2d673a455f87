package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(300)
class OutageIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final int BREAKS = 12;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();

    @Test
    void connectionsBreakAgainAndAgainAndNothingIsSharedOrLeftBehind() throws Exception {
        // Three clients with two threads each want one lock while all of their connections break, every time in the
        // middle
        // of something. Requests are lost with and without having been carried out. At most one holds the lock,
        // everybody
        // gets on, and in the end no claim is left that nobody knows of.
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Proxy proxy = new Proxy(server.testing().getPort(), false);
                Holdfast observer =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect())) {
            List<Holdfast> clients = new ArrayList<>();
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Holdfast client = Holdfast.over(
                        Clients.of("127.0.0.1:" + proxy.port(), Clients.LONG).connect());
                clients.add(client);
                workers.add(threads.submit(() -> work(client)));
                workers.add(threads.submit(() -> work(client)));
            }
            for (int i = 0; i < BREAKS; i++) {
                int before = served.get();
                await("somebody is served").atMost(Duration.ofSeconds(60)).until(() -> served.get() > before + 3);
                LockSupport.parkNanos(i * 1_000_000L);
                proxy.hangUpOnAll();
            }
            enough.set(true);
            for (Future<?> worker : workers) {
                worker.get(120, TimeUnit.SECONDS);
            }
            assertThat(overlaps).hasValue(0);
            await("nothing is left")
                    .atMost(Duration.ofSeconds(40))
                    .until(() -> observer.inspect("wanted").isEmpty());
            clients.forEach(Holdfast::close);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aClaimWhoseAnswerIsLostIsFoundByItsOwnerAndRemoved() throws Exception {
        // The server creates the claim, the answer does not arrive, the connection breaks, the session goes on. Nobody
        // remembers that claim; if it stayed, everybody would stand behind it for as long as the session lives.
        try (Proxy proxy = new Proxy(server.testing().getPort(), false);
                Holdfast observer =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Holdfast client = Holdfast.over(
                        Clients.of("127.0.0.1:" + proxy.port(), Clients.LONG).connect())) {
            client.lock("another").acquire(Duration.ofSeconds(30)).close();
            Lease held = observer.lock("orphan").acquire(Duration.ofSeconds(30));
            proxy.freezeAnswers();
            CompletableFuture<Lease> asked = client.lock("orphan").acquireAsync(Duration.ofSeconds(60));
            await("the claim stands").atMost(Duration.ofSeconds(30)).until(() -> waiters(observer) == 1);
            proxy.hangUpOnAll();
            proxy.thaw();
            held.close();
            try (Lease lease = asked.get(60, TimeUnit.SECONDS)) {
                assertThat(waiters(observer)).isZero();
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(observer.inspect("orphan")).isEmpty();
        }
    }

    private static int waiters(Holdfast observer) throws InterruptedException {
        return observer.inspect("orphan").orElseThrow().waiters().size();
    }

    private void work(Holdfast client) {
        while (!enough.get()) {
            try (Lease lease = client.lock("wanted").acquire(Duration.ofSeconds(60))) {
                if (inside.incrementAndGet() != 1) {
                    overlaps.incrementAndGet();
                }
                LockSupport.parkNanos(1_000_000);
                assertThat(lease.token().value()).isPositive();
                inside.decrementAndGet();
                served.incrementAndGet();
            } catch (HoldfastException unconfirmed) {
                // The release is not confirmed; it is repeated in the background.
                LockSupport.parkNanos(1_000_000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
