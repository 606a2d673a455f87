package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.testing.ManualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Shutdown takes a few seconds at most, whatever the servers do. It used to take as long as a session. */
@Timeout(240)
class ClosingIT {
    @RegisterExtension
    static final InProcessServer server = new InProcessServer();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** Two seconds for the servers, one for Curator's thread, and the rest for a busy machine. The session has 50. */
    private static final long LIMIT_SECONDS = 25;

    private static void requireClosedSoon(Holdfast holdfast) throws Exception {
        CompletableFuture.runAsync(holdfast::close, task -> new Thread(task).start())
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aServerThatHasNeverAnsweredIsNotWaitedFor() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Holdfast holdfast = Holdfast.over(Clients.of("127.0.0.1:" + silent.getLocalPort(), Clients.LONG)
                    .connectionTimeout(Duration.ofSeconds(1))
                    .connect());
            assertThatThrownBy(() -> holdfast.lock("silent").acquire(Duration.ofSeconds(2)))
                    .isInstanceOf(LockUnavailableException.class);
            requireClosedSoon(holdfast);
        }
    }

    @Test
    void aServerThatHasFallenSilentIsWaitedForBriefly() throws Exception {
        // There is a session, so its end is worth a try: what waits in it would stand in the way of others.
        try (Proxy proxy = new Proxy(Integer.parseInt(server.address().replaceFirst(".*:", "")), false)) {
            Holdfast holdfast = Holdfast.over(
                    Clients.of("127.0.0.1:" + proxy.port(), Clients.LONG).connect());
            holdfast.lock("fallen silent").acquire(PATIENCE).close();
            proxy.freeze();
            requireClosedSoon(holdfast);
        }
    }

    @Test
    void aHandleThatIsClosedInTheMomentInWhichItConnectsHangsUp() throws Exception {
        // The library forgot that it was told to, and closing waited for its end for ever.
        CountDownLatch connecting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        HandleFactory.Servers servers = new HandleFactory.Servers(server.address(), System::nanoTime, () -> false) {
            @Override
            public void onConnected() {
                super.onConnected();
                connecting.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        HandleFactory.Handle handle =
                new HandleFactory.Handle(server.address(), 50_000, event -> {}, servers, new ZKClientConfig());
        assertThat(connecting.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(handle::abandon, task -> new Thread(task).start());
        await("told").atMost(PATIENCE).until(() -> handle.getState() == ZooKeeper.States.CLOSED);
        goOn.countDown();
        closed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        await("it has hung up").atMost(PATIENCE).until(() -> handle.getState() == ZooKeeper.States.CLOSED);
    }

    @Test
    void whoClosesAHandleWaitsWithoutItsMonitor() throws Exception {
        // The library waits for the servers inside its monitor, and so did we: a virtual thread kept its carrier for
        // two
        // seconds, and everybody else who closed the handle was blocked. A machine on which nobody looks for as long
        // shows nothing, and is asked again.
        Optional<ThreadInfo> waiting = Optional.empty();
        for (int i = 0; i < 5 && waiting.isEmpty(); i++) {
            waiting = seenWhileClosing();
        }
        assertThat(waiting).isPresent();
        assertThat(waiting.get().getLockedMonitors()).isEmpty();
    }

    private static Optional<ThreadInfo> seenWhileClosing() throws Exception {
        try (Proxy proxy = new Proxy(Integer.parseInt(server.address().replaceFirst(".*:", "")), false)) {
            ZooKeeper handle = new HandleFactory(new ManualTime(), null, () -> false)
                    .newZooKeeper("127.0.0.1:" + proxy.port(), 50_000, event -> {}, false);
            await("connected").atMost(PATIENCE).until(() -> handle.getSessionId() != 0);
            proxy.freeze();
            Thread closer = new Thread(() -> {
                try {
                    handle.close();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            closer.start();
            AtomicReference<ThreadInfo> seen = new AtomicReference<>();
            await("it waits")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        ThreadInfo now = ManagementFactory.getThreadMXBean()
                                .getThreadInfo(new long[] {closer.getId()}, true, true)[0];
                        if (now != null && isWaiting(now.getThreadState())) {
                            seen.set(now);
                        }
                        return seen.get() != null || !closer.isAlive();
                    });
            closer.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            assertThat(closer.isAlive()).isFalse();
            assertThat(handle.getState().isAlive()).isFalse();
            return Optional.ofNullable(seen.get());
        }
    }

    private static boolean isWaiting(Thread.State state) {
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    @Test
    void aSessionEndsWhenAServerHearsItInTime() throws Exception {
        // The node of a waiter goes with its session, and nobody has to wait for the rest of that.
        try (Holdfast holder =
                        Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
                Neighbour neighbour = new Neighbour(server.address());
                Lease held = holder.lock("heard").acquire(PATIENCE)) {
            ZooKeeperBackend backend =
                    Clients.of(server.address(), Clients.LONG).connect();
            Holdfast waiter = Holdfast.over(backend);
            CompletableFuture<Lease> waiting = waiter.lock("heard").acquireAsync(PATIENCE);
            await("it waits")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.claims("heard").size() == 2);
            long session = Objects.requireNonNull(backend.session()).id;
            assertThat(server.knowsSession(session)).isTrue();
            requireClosedSoon(waiter);
            assertThat(waiting).failsWithin(PATIENCE);
            // Hung up on without a word, the server would keep it for 50 s.
            await("the session is gone").atMost(Duration.ofSeconds(25)).until(() -> !server.knowsSession(session));
            await("it is gone")
                    .atMost(Duration.ofSeconds(25))
                    .until(() -> neighbour.claims("heard").size() == 1);
            assertThat(held.isValid()).isTrue();
        }
    }
}
