package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.Fault;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that fail in the middle of something. */
@Timeout(400)
class RedlockFaultsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final Duration LEASE = Duration.ofMinutes(3);
    private static final String NAME = "kept";

    private final Five five = Five.servers(5, LEASE);
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void start() {
        five.start();
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        five.close();
    }

    private Holdfast client() {
        Holdfast holdfast = Holdfast.builder(RedlockBackend.builder(five.proxiedUrl())
                        .nodeTimeout(Duration.ofSeconds(5))
                        .maxLease(LEASE)
                        .connect())
                .lease(LEASE)
                .maxLease(LEASE)
                .closeGrace(Duration.ofMillis(100))
                .build();
        clients.add(holdfast);
        return holdfast;
    }

    /** A client that every server knows: the next request is not the first of its kind. */
    private Holdfast warmClient() throws InterruptedException {
        Holdfast holdfast = client();
        // A majority grants it, and a majority ends it. Whoever strikes next must not meet what is still on its way to
        // the rest.
        await().ignoreExceptions().atMost(PATIENCE).until(() -> allVote(holdfast));
        try (Lease lease = holdfast.lock("warm-up").acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            await().atMost(PATIENCE).until(() -> votesFor("warm-up") == five.servers.size());
        }
        await().atMost(PATIENCE).until(() -> votesFor("warm-up") == 0);
        return holdfast;
    }

    /** For this client: it is connected to all of them, and knows what their clocks show. */
    private static boolean allVote(Holdfast holdfast) throws InterruptedException {
        return holdfast.diagnose().stream()
                .anyMatch(finding -> finding.code().equals("quorum.voting") && finding.severity() == Severity.NOTE);
    }

    private long votesFor(String name) {
        String lock = Keys.standard().ofQuorum().lock(name);
        return five.servers.stream()
                .filter(server -> server.call("GET", lock) != null)
                .count();
    }

    /** Two servers fail when they are sent this next. */
    private AtomicInteger strikeAtNext(Script script, Fault fault) {
        AtomicInteger struck = new AtomicInteger();
        for (int victim : new int[] {1, 3}) {
            five.proxies().get(victim).whenNext(script.sha(), () -> {
                fault.strike(five, victim);
                struck.incrementAndGet();
            });
        }
        return struck;
    }

    private void heal(Fault fault, int... victims) {
        for (int victim : victims) {
            fault.heal(five, victim);
        }
    }

    /** Long before a lease would end. */
    private void requireNothingLeft() {
        String lock = Keys.standard().ofQuorum().lock(NAME);
        await().atMost(LEASE.dividedBy(2))
                .untilAsserted(() -> assertThat(five.servers.stream()
                                .map(server -> server.call("GET", lock))
                                .filter(Objects::nonNull))
                        .isEmpty());
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void twoFailDuringRoundOne(Fault fault) throws Exception {
        // They fail with the claim on its way to them. Three grant it, and what arrives late takes nothing.
        Holdfast holder = warmClient();
        Holdfast rival = warmClient();
        AtomicInteger struck = strikeAtNext(Script.QUORUM_ACQUIRE, fault);
        Lease lease = holder.lock(NAME).acquire(PATIENCE);
        assertThat(lease.votes().granted()).isEqualTo(3);
        assertThat(rival.lock(NAME).tryAcquire()).isEmpty();
        lease.close();
        await().atMost(PATIENCE).until(() -> struck.get() == 2);
        rival.lock(NAME).acquire(PATIENCE).close();
        heal(fault, 1, 3);
        requireNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void twoFailBetweenAcquireAndRenewal(Fault fault) throws Exception {
        // Held on all five; from the first renewal on three are left, and they are enough for as long as it takes.
        Holdfast holder = warmClient();
        Holdfast rival = warmClient();
        AtomicInteger struck = strikeAtNext(Script.QUORUM_RENEW, fault);
        Lease lease = holder.lock(NAME).withLease(Duration.ofSeconds(9)).acquire(PATIENCE);
        AtomicBoolean lost = new AtomicBoolean();
        lease.onLost(loss -> lost.set(true));
        await().atMost(PATIENCE).until(() -> struck.get() == 2);
        // That one by the three, and one more.
        for (int renewals = 0; renewals < 2; renewals++) {
            awaitRenewal(lease);
        }
        assertThat(lost).isFalse();
        assertThat(lease.isValid()).isTrue();
        assertThat(rival.lock(NAME).tryAcquire()).isEmpty();
        lease.close();
        rival.lock(NAME).acquire(PATIENCE).close();
    }

    private static void awaitRenewal(Lease lease) {
        Duration[] before = {lease.remaining()};
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            assertThat(lease.isValid()).isTrue();
            Duration now = lease.remaining();
            boolean renewed = now.compareTo(before[0]) > 0;
            before[0] = now;
            return renewed;
        });
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void twoFailDuringRelease(Fault fault) throws Exception {
        // They keep a vote that nobody uses. The others are enough for the next holder, and the votes are taken back
        // when
        // the servers are there again, long before the lease would end.
        Holdfast holder = warmClient();
        Holdfast rival = warmClient();
        Lease lease = holder.lock(NAME).acquire(PATIENCE);
        AtomicInteger struck = strikeAtNext(Script.QUORUM_RELEASE, fault);
        lease.close();
        await().atMost(PATIENCE).until(() -> struck.get() == 2);
        Lease next = rival.lock(NAME).acquire(PATIENCE);
        assertThat(next.token().value()).isGreaterThan(lease.token().value());
        next.close();
        heal(fault, 1, 3);
        requireNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void withThreeDownTheLockIsUnavailableAndNotBusyAndNothingStaysLocked(Fault fault) throws Exception {
        // Two votes are no majority. Whoever asks is told so in the time it has set; then everything works again.
        Holdfast holdfast = warmClient();
        for (int victim : new int[] {0, 2, 4}) {
            fault.strike(five, victim);
        }
        assertThatThrownBy(() -> holdfast.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("3 of 5 nodes have no say");
        assertThat(timeUntilRefused(holdfast, Duration.ofSeconds(1))).isLessThan(Duration.ofSeconds(4));
        heal(fault, 0, 2, 4);
        requireNothingLeft();
        if (fault != Fault.KILLED) {
            holdfast.lock(NAME).acquire(PATIENCE).close();
        }
    }

    /** The shortest of some: a machine may stand still for seconds, but not each time. */
    private static Duration timeUntilRefused(Holdfast holdfast, Duration limit) {
        Duration shortest = Duration.ofDays(1);
        for (int i = 0; i < 5 && shortest.compareTo(limit.multipliedBy(3)) > 0; i++) {
            long begun = System.nanoTime();
            assertThatThrownBy(() -> holdfast.lock(NAME).acquire(limit)).isInstanceOf(LockUnavailableException.class);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            shortest = took.compareTo(shortest) < 0 ? took : shortest;
        }
        return shortest;
    }

    @Test
    void withThreeDownInTheirOwnWaysItIsNotBusyEither() throws Exception {
        // Two are known to be gone, because two of our requests to them had no answer. One to the third had none: it is
        // asked, and hangs.
        Holdfast holdfast = warmClient();
        Lease lease = holdfast.lock(NAME).acquire(PATIENCE);
        for (int victim : new int[] {0, 2}) {
            Fault.SWALLOWED.strike(five, victim);
        }
        lease.close();
        Fault.SWALLOWED.strike(five, 4);
        assertThatThrownBy(() -> holdfast.lock(NAME).tryAcquire()).isInstanceOf(LockUnavailableException.class);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> holdfast.lock(NAME).acquire(Duration.ofSeconds(1)))
                    .isInstanceOf(LockUnavailableException.class);
        }
        heal(Fault.SWALLOWED, 0, 2, 4);
        requireNothingLeft();
    }

    @Test
    void aNodeThatHangsCostsNothing() throws Exception {
        // Nodes get ten seconds each. If anybody waited for the one that hangs, a single acquisition would show it.
        RedlockBackend backend = Patient.quorum(five.proxiedUrl()).connect();
        Holdfast holdfast =
                Holdfast.builder(backend).closeGrace(Duration.ofMillis(100)).build();
        clients.add(holdfast);
        holdfast.lock("warm-up").acquire(PATIENCE).close();
        five.get(2).pause();
        List<Long> took = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long begun = System.nanoTime();
            holdfast.lock(NAME).acquire(PATIENCE).close();
            took.add(System.nanoTime() - begun);
        }
        Collections.sort(took);
        assertThat(Duration.ofNanos(took.get(10))).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void anAcquisitionTakesOneRequestToEachNodeAndItsReleaseAnother() throws Exception {
        // Counted by the servers. A second round is the exception: if each took one, there would be 300.
        Holdfast holdfast = warmClient();
        five.servers.forEach(RedisServer::resetCounts);
        for (int i = 0; i < 100; i++) {
            holdfast.lock("counted-" + i).acquire(PATIENCE).close();
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(five.servers)
                        .allSatisfy(
                                server -> assertThat(server.calls("evalsha")).isBetween(200L, 250L)));
        assertThat(five.servers)
                .allSatisfy(server -> assertThat(server.calls("publish")).isZero());
    }
}
