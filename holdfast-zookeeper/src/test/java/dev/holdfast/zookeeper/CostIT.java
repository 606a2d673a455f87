package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests per step, as the server counts them, less what the clients send by the clock. */
@Timeout(180)
class CostIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private long looks;

    @Test
    void anAcquisitionThatNobodyElseWantsIsTwoRequestsWithItsRelease() throws Exception {
        int rounds = 400;
        try (Holdfast holdfast =
                Holdfast.over(Clients.of(server.address(), Clients.LONG).connect())) {
            holdfast.lock("alone").acquire(PATIENCE).close();
            long before = server.received();
            long began = System.nanoTime();
            for (int i = 0; i < rounds; i++) {
                holdfast.lock("alone").acquire(PATIENCE).close();
            }
            double requests = server.received() - before - byTheClock(began, 1);
            assertThat(requests / rounds).isBetween(1.8, 2.2);
        }
    }

    @Test
    void aPermitThatNobodyElseWantsIsThreeRequestsWithItsRelease() throws Exception {
        // Look, take, release: no place in the queue.
        int rounds = 200;
        try (Holdfast holdfast =
                Holdfast.over(Clients.of(server.address(), Clients.LONG).connect())) {
            holdfast.semaphore("permits", 3).acquire(PATIENCE).close();
            long before = server.received();
            long began = System.nanoTime();
            for (int i = 0; i < rounds; i++) {
                holdfast.semaphore("permits", 3).acquire(PATIENCE).close();
            }
            double requests = server.received() - before - byTheClock(began, 1);
            assertThat(requests / rounds).isBetween(2.8, 3.3);
        }
    }

    @Test
    void anAcquisitionThatIsHandedOverIsFourRequestsWithItsRelease() throws Exception {
        // Two clients in turns: enter, list, watch, and nothing for the hand-over itself.
        int rounds = 200;
        try (Holdfast first =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Holdfast second =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Neighbour observer = new Neighbour(server.address())) {
            List<Holdfast> clients = List.of(first, second);
            Lease held = first.lock("in turns").acquire(PATIENCE);
            second.lock("another").acquire(PATIENCE).close();
            long before = server.received();
            long began = System.nanoTime();
            for (int i = 1; i <= rounds; i++) {
                CompletableFuture<Lease> next =
                        clients.get(i % 2).lock("in turns").acquireAsync(PATIENCE);
                await("queued")
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(5))
                        .atMost(PATIENCE)
                        .until(() -> look(observer) == 2);
                held.close();
                held = next.get(40, TimeUnit.SECONDS);
            }
            double requests = server.received() - before - looks - byTheClock(began, 2);
            assertThat(requests / rounds).isBetween(3.5, 4.5);
            held.close();
        }
    }

    private int look(Neighbour observer) throws Exception {
        looks++;
        return observer.claims("in turns").size();
    }

    /** A beat every two seconds, a look at the queue every five, a renewal of two or three requests every ten. */
    private static double byTheClock(long beganNanos, int clients) {
        return clients * (System.nanoTime() - beganNanos) / 1e9;
    }

    @Test
    void aRenewalOfManyLocksIsTwoRequests() throws Exception {
        // One write for the session, and one read that shows of each queue that it has not changed.
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        try (Holdfast holdfast = Holdfast.over(backend)) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                leases.add(holdfast.lock("many " + i)
                        .withLease(Duration.ofSeconds(30))
                        .acquire(PATIENCE));
            }
            long ends = endOf(leases.get(299));
            long before = server.received();
            await("all are renewed")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> endOf(leases.get(0)) > ends && endOf(leases.get(299)) > ends + 2_000_000_000L);
            assertThat(server.received() - before).isLessThan(150);
        }
    }

    private static long endOf(Lease lease) {
        return System.nanoTime() + lease.remaining().toNanos();
    }
}
