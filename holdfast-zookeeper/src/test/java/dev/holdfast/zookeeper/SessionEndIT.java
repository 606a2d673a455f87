package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sessions that end before their time, and what the client's mark is made of. */
@Timeout(240)
class SessionEndIT {
    @RegisterExtension
    static final InProcessServer server = new InProcessServer();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** For five times. */
    private static final Duration SOON = Duration.ofMillis(1750);

    @Test
    void whoseSessionWasKilledIsToldWithTheNextConnection() throws Exception {
        // An operator ends the session at the server: the rival is served at once. The holder is hung up on, connects
        // again without the library's pause for servers that are down, and hears that the session is over.
        try (Holdfast holder =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Holdfast rival =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Neighbour neighbour = new Neighbour(server.address())) {
            Lease held = holder.lock("killed").acquire(PATIENCE);
            CompletableFuture<Loss> told = new CompletableFuture<>();
            held.onLost(told::complete);
            CompletableFuture<Lease> waiting = rival.lock("killed").acquireAsync(PATIENCE);
            await("the rival waits")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.claims("killed").size() == 2);
            server.killSession(neighbour
                    .curator()
                    .checkExists()
                    .forPath(neighbour.claims("killed").get(0))
                    .getEphemeralOwner());
            try (Lease next = waiting.get(40, TimeUnit.SECONDS)) {
                assertThat(next.token()).isGreaterThan(held.token());
                // Far less than the session that the holder believed in until now: fifty seconds.
                assertThat(told.get(10, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
                assertThat(held.isValid()).isFalse();
            }
        }
    }

    @Test
    void whoeverHoldsALockHearsSoonThatItsSessionWasKilled() throws Exception {
        // The library used to sleep for up to a second before it connected again, and Curator for two tenths before it
        // told
        // us. The fastest five of ten, which no busy machine delays: they took 2.9 s on average.
        // A machine that is busy all the time is asked again: chance makes none of four that slow quick.
        List<Duration> fastest = new ArrayList<>();
        do {
            fastest.add(fastestFiveOfTen());
        } while (Collections.min(fastest).compareTo(SOON) >= 0 && fastest.size() < 4);
        assertThat(fastest).anyMatch(each -> each.compareTo(SOON) < 0);
    }

    private static Duration fastestFiveOfTen() throws Exception {
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        List<Duration> delays = new ArrayList<>();
        try (Holdfast holder = Holdfast.over(backend)) {
            for (int i = 0; i < 10; i++) {
                Lease held = holder.lock("killed often").acquire(PATIENCE);
                CompletableFuture<Loss> told = new CompletableFuture<>();
                held.onLost(told::complete);
                long killed = System.nanoTime();
                server.killSession(Objects.requireNonNull(backend.session()).id);
                assertThat(told.get(40, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
                delays.add(Duration.ofNanos(System.nanoTime() - killed));
            }
        }
        delays.sort(null);
        System.out.println("measured: a holder hears that its session was killed after "
                + delays.stream().map(Duration::toMillis).toList() + " ms");
        return delays.subList(0, 5).stream().reduce(Duration.ZERO, Duration::plus);
    }

    @Test
    void aCopyOfTheProcessTakesTheSessionOverAndTheLeaseEndsHere() throws Exception {
        // A process restored twice from one snapshot has its session twice, with the password. Both used to go on
        // renewing what was held at the time of the copy, under one token, for as long as they lived.
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        try (Holdfast holder =
                        Holdfast.builder(backend).lease(Duration.ofSeconds(20)).build();
                Holdfast rival =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Neighbour neighbour = new Neighbour(server.address())) {
            Lease held = holder.lock("copied").acquire(PATIENCE);
            CompletableFuture<Loss> told = new CompletableFuture<>();
            held.onLost(told::complete);
            CompletableFuture<Lease> waiting = rival.lock("copied").acquireAsync(Duration.ofMinutes(3));
            await("the rival waits")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.claims("copied").size() == 2);
            Session shared = Objects.requireNonNull(backend.session());
            ZooKeeper copy =
                    new ZooKeeper(server.address(), 50_000, event -> {}, shared.id, shared.handle.getSessionPasswd());
            await("the guard stands")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> guardOf(neighbour, shared.id) != null);
            String guard = guardOf(neighbour, shared.id);
            await("the copy is connected and takes over")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> {
                        copy.setData(guard, new byte[] {1}, -1);
                        return true;
                    });
            assertThat(told.get(40, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
            // The session and its claim go on, for the copy; here another session is begun.
            assertThat(neighbour.claims("copied")).hasSize(2);
            assertThat(waiting).isNotDone();
            holder.lock("elsewhere").acquire(PATIENCE).close();
            assertThat(Objects.requireNonNull(backend.session()).id).isNotEqualTo(shared.id);
            copy.close();
            waiting.get(40, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void whoeverIsAloneInItsSessionKeepsItsLocksOverManyConnections() throws Exception {
        // Every new connection is a question whether somebody else was here; answers get lost on the way.
        int port = Integer.parseInt(server.address().substring(server.address().indexOf(':') + 1));
        try (Proxy proxy = new Proxy(port, false);
                Holdfast holder = Holdfast.over(
                        Clients.of("127.0.0.1:" + proxy.port(), Clients.LONG).connect())) {
            Lease held = holder.lock("alone").acquire(PATIENCE);
            CompletableFuture<Loss> told = new CompletableFuture<>();
            held.onLost(told::complete);
            for (int i = 0; i < 6; i++) {
                if (i % 2 == 0) {
                    proxy.freezeAnswers();
                }
                proxy.hangUpOnAll();
                if (i % 2 == 0) {
                    await("a connection without answers").atMost(PATIENCE).until(proxy::isUsed);
                    proxy.hangUpOnAll();
                    proxy.thaw();
                }
                holder.lock("another " + i).acquire(PATIENCE).close();
            }
            assertThat(told).isNotDone();
            held.close();
        }
    }

    private static String guardOf(Neighbour neighbour, long session) throws Exception {
        String sessions = Paths.below("/holdfast").sessions();
        return neighbour.curator().getChildren().forPath(sessions).stream()
                .filter(child -> child.startsWith(Long.toHexString(session) + "-"))
                .map(child -> sessions + "/" + child)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theMarkOfAConnectionComesFromItsSession() throws Exception {
        // Zero before there is a session; then another one for every session, although their ids differ in few bits.
        ZooKeeperBackend first = Clients.of(server.address(), Clients.LONG).connect();
        ZooKeeperBackend second = Clients.of(server.address(), Clients.LONG).connect();
        assertThat(first.connectionMark()).isZero();
        try (Holdfast a = Holdfast.over(first);
                Holdfast b = Holdfast.over(second)) {
            a.lock("a").acquire(PATIENCE).close();
            b.lock("b").acquire(PATIENCE).close();
            long difference = first.connectionMark() ^ second.connectionMark();
            assertThat(Long.bitCount(difference)).isBetween(8, 56);
        }
    }
}
