package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that forget while locks are held: no second holder, tokens go on growing, and they vote again by themselves. */
@Timeout(120)
class ReadmissionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration MAX_LEASE = Duration.ofSeconds(3);
    private static final String NAME = "kept";

    private final Five five = Five.servers(5, MAX_LEASE).withDurable(4);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Queue<String> disturbances = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        five.start();
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        five.close();
    }

    /** A client for which the servers with these numbers are out of reach. */
    private Holdfast clientWithout(int... unreachable) {
        List<Integer> ports = new ArrayList<>();
        five.servers.forEach(server -> ports.add(server.port()));
        for (int index : unreachable) {
            Proxy wall = new Proxy(five.get(index).port());
            opened.add(wall);
            wall.cut();
            ports.set(index, wall.port());
        }
        return client(Five.url(ports));
    }

    private Holdfast client(String url) {
        Holdfast holdfast = Holdfast.builder(RedlockBackend.builder(url)
                        .maxLease(MAX_LEASE)
                        .nodeTimeout(MAX_LEASE.dividedBy(2))
                        .connect())
                .lease(MAX_LEASE)
                .maxLease(MAX_LEASE)
                .closeGrace(Duration.ofMillis(100))
                .listener(new LockListener() {
                    @Override
                    public void disturbed(String where, String what) {
                        disturbances.add(where + " " + what);
                    }
                })
                .build();
        opened.add(holdfast);
        return holdfast;
    }

    private static boolean votes(RedisServer server) {
        return server.text("GET", Keys.standard().ofQuorum().admission()).startsWith("admitted ");
    }

    /** Asks again and again, and notes whether the other lease was still valid when it succeeded. */
    private static Lease acquireAfter(Holdfast rival, Lease other) throws InterruptedException {
        AtomicBoolean overlapped = new AtomicBoolean();
        Lease lease = rival.lock(NAME).acquire(PATIENCE);
        overlapped.set(other.isValid());
        assertThat(overlapped).as("two valid leases").isFalse();
        assertThat(lease.token().value()).isGreaterThan(other.token().value());
        return lease;
    }

    @Test
    void aNodeThatRestartsEmptyDoesNotHelpToGrantWhatItHasForgotten() throws Exception {
        // One holds 0, 1, 2. Node 2 restarts empty. A rival that reaches 2, 3, 4 would have a majority.
        Holdfast one = clientWithout(3, 4);
        Holdfast rival = clientWithout(0, 1);
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.get(2).restart();
        assertThatThrownBy(() -> rival.lock(NAME).tryAcquire()).isInstanceOf(LockUnavailableException.class);
        // Readmission needs the memory of three others: by one client that reaches them all.
        Holdfast both = client(five.url());
        acquireAfter(rival, held).close();
        assertThat(votes(five.get(2))).isTrue();
        await().atMost(PATIENCE)
                .until(() -> disturbances.stream().anyMatch(each -> each.contains("does not vote for at least"))
                        && disturbances.stream().anyMatch(each -> each.contains("votes again")));
        assertThat(both.inspect(NAME)).isEmpty();
    }

    @Test
    void aNodeThatIsEmptiedDoesNotHelpEither() throws Exception {
        // FLUSHALL: the same server over the same connection, without its memory.
        Holdfast one = clientWithout(3, 4);
        Holdfast rival = clientWithout(0, 1);
        Holdfast both = client(five.url());
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.get(2).call("FLUSHALL");
        both.lock("somewhere else").acquire(PATIENCE).close();
        acquireAfter(rival, held).close();
        assertThat(votes(five.get(2))).isTrue();
    }

    @Test
    void aNodeThatComesBackWithItsDataIsNotTrustedEither() throws Exception {
        // Node 4 keeps a file. One holds 2, 3, 4; node 4 restarts, and the last moments before its crash were not
        // written:
        // its admission record is there, the vote is not.
        Holdfast one = clientWithout(0, 1);
        Holdfast rival = clientWithout(2, 3);
        Holdfast both = client(five.url());
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.get(4).restart();
        assertThat(five.get(4).call("DEL", Keys.standard().ofQuorum().lock(NAME)))
                .isEqualTo(1L);
        both.lock("somewhere else").acquire(PATIENCE).close();
        acquireAfter(rival, held).close();
        assertThat(votes(five.get(4))).isTrue();
    }

    @Test
    void aHolderKeepsItsLockOverTheLossOfAMinority() throws Exception {
        // Held on all five, renewed in the background; two restart empty and come back voting. It is never lost.
        Holdfast one = client(five.url());
        Holdfast rival = client(five.url());
        Lease held = one.lock(NAME).acquire(PATIENCE);
        AtomicBoolean lost = new AtomicBoolean();
        held.onLost(loss -> lost.set(true));
        five.get(0).restart();
        five.get(3).restart();
        await().atMost(PATIENCE).until(() -> {
            assertThat(isGranted(rival)).isFalse();
            return votes(five.get(0)) && votes(five.get(3));
        });
        assertThat(lost).isFalse();
        assertThat(held.isValid()).isTrue();
        held.close();
        rival.lock(NAME).acquire(PATIENCE).close();
    }

    /** Busy, or unavailable where one of the three that are left is slow: neither is a grant. */
    private static boolean isGranted(Holdfast rival) throws InterruptedException {
        try {
            return rival.lock(NAME).tryAcquire().isPresent();
        } catch (LockUnavailableException slow) {
            return false;
        }
    }

    @Test
    void allFiveRestartedAtOnceLetNobodyInBeforeTheLastLeaseIsOver() throws Exception {
        // Everything is forgotten while a lease has time to go. Then they vote again without an operator.
        Holdfast one = client(five.url());
        Holdfast rival = client(five.url());
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.servers.parallelStream().forEach(RedisServer::restart);
        acquireAfter(rival, held).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(five.servers).allMatch(ReadmissionIT::votes));
        assertThat(disturbances).anyMatch(each -> each.contains("from the clocks"));
    }

    @Test
    void countersAreTakenFromTheOthersNotFromClocks() throws Exception {
        // Tokens are an hour ahead of every clock. A node that forgets gets them back from those that remember:
        // with its own clock alone it would hand out numbers that were handed out before.
        String fence = Keys.standard().ofQuorum().of(NAME)[2];
        long ahead = (System.currentTimeMillis() + 3_600_000) * 1000;
        for (int i = 0; i < 3; i++) {
            five.get(i).call("SET", fence, Long.toString(ahead));
        }
        Lease before = clientWithout(3, 4).lock(NAME).acquire(PATIENCE);
        assertThat(before.token().value()).isGreaterThan(ahead);
        before.close();
        Holdfast rival = clientWithout(0, 1);
        five.get(2).restart();
        client(five.url()).lock("somewhere else").acquire(PATIENCE).close();
        try (Lease after = rival.lock(NAME).acquire(PATIENCE)) {
            assertThat(after.token().value()).isGreaterThan(before.token().value());
        }
    }

    @Test
    void newServersBeginToVoteByThemselves() throws Exception {
        // Nobody has initialised them. After the longest lease that could exist, they are taken for new.
        List<RedisServer> fresh = List.of(
                RedisServer.embedded().start(),
                RedisServer.embedded().start(),
                RedisServer.embedded().start());
        opened.addAll(fresh);
        Holdfast holdfast =
                client(Five.url(fresh.stream().map(RedisServer::port).toList()));
        assertThatThrownBy(() -> holdfast.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("does not vote yet");
        assertThat(holdfast.diagnose())
                .filteredOn(finding -> finding.severity() == Finding.Severity.WARNING)
                .anyMatch(finding -> finding.what().contains("ms are over"));
        holdfast.lock(NAME).acquire(PATIENCE).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(fresh).allMatch(ReadmissionIT::votes));
    }

    @Test
    void aClientWithAnotherListOfServersIsRefused() {
        // A majority of three and a majority of five need not share a server.
        List<Integer> three =
                five.servers.subList(0, 3).stream().map(RedisServer::port).toList();
        Holdfast mistaken = client(Five.url(three));
        assertThatThrownBy(() -> mistaken.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("another number of servers (5)");
        assertThat(votes(five.get(0))).isTrue();
    }
}
