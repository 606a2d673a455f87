package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Loss;
import dev.holdfast.tck.Renewed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Members die and stand still, while one client holds a lock and another waits for it. Whatever happens: when the rival is
 * granted the lock, the holder's lease is over, by its own clock.
 */
@OnEtcd
@Timeout(400)
class FaultsIT {
    @RegisterExtension
    static final Servers cluster = Servers.three();

    /** Two thirds of it are long enough for an election on a busy machine; one third is waited for, until it is renewed. */
    private static final Duration SURVIVING = Duration.ofSeconds(18);

    /** Short enough to wait for its end. Two thirds of it are longer than this process stands still on a busy machine. */
    private static final Duration ENDING = Duration.ofSeconds(9);

    /** So long that whoever waits for its end notices the difference. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Deque<Holdfast> opened = new ArrayDeque<>();
    private final CompletableFuture<Loss> told = new CompletableFuture<>();
    private Lease held;

    @BeforeEach
    void heal() throws Exception {
        cluster.heal();
    }

    @AfterEach
    void close() throws Exception {
        cluster.heal();
        opened.forEach(Holdfast::close);
    }

    @Test
    void theLeaderIsKilledWhileALockIsHeldAndWaitedFor() throws Exception {
        // Clients of all members: whoever was connected to the leader finds another one, inside the lease.
        hold("held", SURVIVING, cluster.url());
        CompletableFuture<Lease> rival = rivalFor("held", SURVIVING, cluster.url());
        cluster.kill(cluster.leader());
        requireStillHeld(rival);
    }

    @Test
    void theHoldersMemberIsKilledAndTheLockStaysHeld() throws Exception {
        // It knows the leader first; whoever is first is asked until it does not answer.
        int leader = cluster.leader();
        hold("own member", SURVIVING, cluster.url(leader, (leader + 1) % 3, (leader + 2) % 3));
        CompletableFuture<Lease> rival = rivalFor("own member", SURVIVING, cluster.url());
        cluster.kill(leader);
        requireStillHeld(rival);
    }

    @Test
    void theLeaderStandsStillAndTheLockStaysHeld() throws Exception {
        // Its connections stay, so nothing but the missing answers tells. When it wakes, it is no leader any more.
        int leader = cluster.leader();
        hold("still", SURVIVING, cluster.url());
        CompletableFuture<Lease> rival = rivalFor("still", SURVIVING, cluster.url((leader + 1) % 3, (leader + 2) % 3));
        cluster.freeze(leader);
        requireRenewed();
        cluster.thaw(leader);
        requireStillHeld(rival);
    }

    @Test
    void theLeaderIsKilledDuringHandOverAndReleaseAndTheNextIsServed() throws Exception {
        // The release may be lost with the leader. It is repeated, and the waiter gets the lock once, long before the
        // lease
        // would have ended.
        hold("hand-over", LONG, cluster.url());
        CompletableFuture<Lease> rival = rivalFor("hand-over", LONG, cluster.url());
        CompletableFuture<Void> killing = CompletableFuture.runAsync(() -> {
            try {
                cluster.kill(cluster.leader());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        FencingToken token = held.token();
        held.close();
        try (Lease next = get(rival)) {
            assertThat(next.token()).isGreaterThan(token);
            assertThat(held.isValid()).isFalse();
        }
        killing.get(LONG.toSeconds(), TimeUnit.SECONDS);
        // Nothing is left behind: a newcomer gets it at once.
        opened.getFirst().lock("hand-over").acquire(PATIENCE).close();
    }

    @Test
    void withoutAQuorumNothingIsBusyAndTheLeaseEndsFirst() throws Exception {
        // Two of three stand still. Nobody can tell who holds a lock, so the answer is unavailable; and the holder's
        // lease is
        // over before the quorum is back and serves the rival.
        hold("quorum", ENDING, cluster.url());
        CompletableFuture<Lease> rival = rivalFor("quorum", SURVIVING, cluster.url());
        CompletableFuture<Boolean> overlap = rival.thenApply(granted -> held.isValid());
        Holdfast third = open(SURVIVING, cluster.url());
        int leader = cluster.leader();
        cluster.freeze(leader);
        cluster.freeze((leader + 1) % 3);
        assertThatThrownBy(() -> third.lock("quorum").acquire(Duration.ofSeconds(2)))
                .isInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(() -> third.lock("free").acquire(Duration.ofSeconds(2)))
                .isInstanceOf(LockUnavailableException.class);
        assertThat(get(told).kind()).isEqualTo(Loss.Kind.LOST);
        cluster.heal();
        assertThat(overlap.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .as("the holder's lease is valid while the rival has the lock")
                .isFalse();
        rival.get().close();
    }

    @Test
    void theOnlyMemberOfAClientStandsStillAndTheLeaseEndsFirst() throws Exception {
        // The others go on, end the lease and serve the rival. The client sees silence only.
        int follower = (cluster.leader() + 1) % 3;
        hold("silence", ENDING, cluster.url(follower));
        CompletableFuture<Lease> rival =
                rivalFor("silence", SURVIVING, cluster.url((follower + 1) % 3, (follower + 2) % 3));
        CompletableFuture<Boolean> overlap = rival.thenApply(granted -> held.isValid());
        FencingToken stale = held.token();
        cluster.freeze(follower);
        assertThat(overlap.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .as("the holder's lease is valid while the rival has the lock")
                .isFalse();
        assertThat(get(told).kind()).isEqualTo(Loss.Kind.LOST);
        assertThat(rival.get().token()).isGreaterThan(stale);
        cluster.thaw(follower);
        rival.get().close();
        // Back again by itself.
        opened.getFirst().lock("silence").acquire(PATIENCE).close();
    }

    @Test
    void theClientsMemberStandsStillAndTheClientAsksAnother() throws Exception {
        // With a claim in its socket. The client gives that up, and goes on through another member. Then the first one
        // wakes
        // up: nothing is left of the claim, and what was held beside it is still held.
        EtcdBackend backend = EtcdBackend.connect(cluster.url());
        Holdfast client = Holdfast.builder(backend)
                .lease(SURVIVING)
                .closeGrace(Duration.ZERO)
                .build();
        opened.addFirst(client);
        int follower = (cluster.leader() + 1) % 3;
        Holdfast observer = open(SURVIVING, cluster.url((follower + 1) % 3, (follower + 2) % 3));
        for (int round = 0; round < 60; round++) {
            // Begins at one of the members, and moves on only if that one does not answer.
            held = client.lock("beside").acquire(PATIENCE);
            if (backend.member().equals(cluster.addresses(follower))) {
                break;
            }
            held.close();
            client.close();
            backend = EtcdBackend.connect(cluster.url());
            client = Holdfast.builder(backend)
                    .lease(SURVIVING)
                    .closeGrace(Duration.ZERO)
                    .build();
            opened.addFirst(client);
        }
        assertThat(backend.member()).isEqualTo(cluster.addresses(follower));
        held.onLost(told::complete);
        cluster.freeze(follower);
        CompletableFuture<Lease> asked = client.lock("late").acquireAsync(LONG);
        EtcdBackend asking = backend;
        // The request is given up after its time, and core asks again through another member.
        Lease granted = get(asked);
        assertThat(asking.member()).isNotEqualTo(cluster.addresses(follower));
        granted.close();
        assertThat(state(observer, "late")).isEmpty();
        cluster.thaw(follower);
        cluster.awaitHealthy();
        await("nothing is held")
                .during(Duration.ofSeconds(3))
                .atMost(PATIENCE)
                .until(() -> state(observer, "late").isEmpty());
        assertThat(told).isNotDone();
        held.close();
    }

    // ---- the parts

    private Holdfast open(Duration lease, String url) {
        Holdfast holdfast = Holdfast.builder(EtcdBackend.connect(url))
                .maxLease(LONG)
                .lease(lease)
                .closeGrace(Duration.ZERO)
                .build();
        opened.addFirst(holdfast);
        return holdfast;
    }

    private void hold(String name, Duration lease, String url) throws Exception {
        held = open(lease, url).lock(name).acquire(PATIENCE);
        held.onLost(told::complete);
    }

    private CompletableFuture<Lease> rivalFor(String name, Duration lease, String url) {
        Holdfast holdfast = Holdfast.builder(EtcdBackend.connect(url))
                .maxLease(LONG)
                .lease(lease)
                .closeGrace(Duration.ZERO)
                .build();
        opened.addLast(holdfast);
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync(Duration.ofMinutes(6));
        await("the rival waits")
                .atMost(PATIENCE)
                .until(() -> state(holdfast, name).orElseThrow().waiters().size() == 1);
        return waiting;
    }

    /** A member that was started again or woke up may have called an election: then somebody has to be asked once more. */
    private static Optional<LockState> state(Holdfast holdfast, String name) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return holdfast.inspect(name);
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Only a renewal that the servers confirmed lengthens it. */
    private void requireRenewed() {
        Renewed renewed = Renewed.since(held);
        await("renewed").atMost(PATIENCE).until(() -> told.isDone() || renewed.call());
        assertThat(told).isNotDone();
        assertThat(held.isValid()).isTrue();
    }

    private void requireStillHeld(CompletableFuture<Lease> rival) throws Exception {
        requireRenewed();
        assertThat(rival).isNotDone();
        FencingToken token = held.token();
        held.close();
        try (Lease next = get(rival)) {
            assertThat(next.token()).isGreaterThan(token);
        }
    }
}
