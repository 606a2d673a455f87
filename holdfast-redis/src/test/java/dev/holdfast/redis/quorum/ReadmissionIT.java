package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.QuorumClients;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that forget while locks are held: no second holder, tokens go on growing, and they vote again by themselves. */
@Timeout(400)
class ReadmissionIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration MAX_LEASE = Duration.ofSeconds(3);
    private static final String NAME = "kept";

    private final Five five = Five.servers(5, MAX_LEASE).withDurable(4);
    private final QuorumClients clients = new QuorumClients(five, MAX_LEASE);

    @BeforeEach
    void start() {
        five.start();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
        five.close();
    }

    private static boolean votes(RedisServer server) {
        return server.text("GET", Keys.standard().ofQuorum().admission()).startsWith("admitted ");
    }

    private void awaitNotice(String text) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(clients.notices()).anyMatch(each -> each.contains(text)));
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
        Holdfast one = clients.clientWithout(3, 4);
        Holdfast rival = clients.clientWithout(0, 1);
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.get(2).restart();
        assertThatThrownBy(() -> rival.lock(NAME).tryAcquire()).isInstanceOf(LockUnavailableException.class);
        // Readmission needs the memory of three others: by one client that reaches them all.
        Holdfast both = clients.client(five.url());
        acquireAfter(rival, held).close();
        assertThat(votes(five.get(2))).isTrue();
        await().atMost(PATIENCE)
                .until(() -> clients.notices().stream().anyMatch(each -> each.contains("does not vote for at least"))
                        && clients.notices().stream().anyMatch(each -> each.contains("votes again")));
        await().ignoreExceptions()
                .atMost(PATIENCE)
                .until(() -> both.inspect(NAME).isEmpty());
    }

    @Test
    void aNodeThatIsEmptiedDoesNotHelpEither() throws Exception {
        // FLUSHALL: the same server over the same connection, without its memory.
        Holdfast one = clients.clientWithout(3, 4);
        Holdfast rival = clients.clientWithout(0, 1);
        Holdfast both = clients.client(five.url());
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
        Holdfast one = clients.clientWithout(0, 1);
        Holdfast rival = clients.clientWithout(2, 3);
        Holdfast both = clients.client(five.url());
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.get(4).restart();
        boolean deleted = Long.valueOf(1)
                .equals(five.get(4).call("DEL", Keys.standard().ofQuorum().lock(NAME)));
        // Unless the restart took so long that the lease was over.
        assertThat(deleted || !held.isValid()).as("a vote to forget").isTrue();
        both.lock("somewhere else").acquire(PATIENCE).close();
        acquireAfter(rival, held).close();
        assertThat(votes(five.get(4))).isTrue();
    }

    @Test
    void aNodeThatForgetsALockThatIsKeptDoesNotVoteBeforeItsTimeIsOver() throws Exception {
        // Kept on 0, 1, 2 for three times the longest lease. Node 2 restarts empty. After one of those leases it would
        // vote
        // again, and a rival that reaches 2, 3, 4 would have a majority.
        Holdfast one = clients.clientWithout(3, 4);
        Holdfast rival = clients.clientWithout(0, 1);
        Holdfast both = clients.client(five.url());
        Duration minimum = MAX_LEASE.multipliedBy(3);
        // Before it is granted: whoever is held up after that would measure too little.
        long since = System.nanoTime();
        Lease kept = one.lock(NAME).heldAtLeast(minimum).acquire(PATIENCE);
        kept.close();
        five.get(2).restart();
        both.lock("somewhere else").acquire(PATIENCE).close();
        Lease next = rival.lock(NAME).acquire(PATIENCE);
        assertThat(Duration.ofNanos(System.nanoTime() - since))
                .isGreaterThan(minimum.minusNanos(Validity.driftNanos(minimum)));
        assertThat(next.token()).isGreaterThan(kept.token());
        next.close();
        awaitNotice("kept for longer than maxLease");
    }

    @Test
    void aHolderKeepsItsLockOverTheLossOfAMinority() throws Exception {
        // Held on all five, renewed in the background; two restart empty and come back voting. It is never lost. Its
        // lease is one that a busy machine renews in time.
        Duration lease = MAX_LEASE.multipliedBy(2);
        Five five = clients.closing(Five.servers(5, lease).start());
        QuorumClients clients = this.clients.closing(new QuorumClients(five, lease));
        Holdfast one = clients.client(five.url());
        Holdfast rival = clients.client(five.url());
        Lease held = acquireOnAll(one, five);
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

    /** A client that has just come asks only those that it has reached by then: as few as three, on a busy machine. */
    private static Lease acquireOnAll(Holdfast one, Five five) throws InterruptedException {
        String lock = Keys.standard().ofQuorum().lock(NAME);
        while (true) {
            Lease held = one.lock(NAME).acquire(PATIENCE);
            if (five.servers.stream().allMatch(server -> server.call("GET", lock) != null)) {
                return held;
            }
            held.close();
        }
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
        Holdfast one = clients.client(five.url());
        Holdfast rival = clients.client(five.url());
        Lease held = one.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        five.servers.parallelStream().forEach(RedisServer::restart);
        acquireAfter(rival, held).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(five.servers).allMatch(ReadmissionIT::votes));
        awaitNotice("from the clocks");
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
        Lease before = clients.clientWithout(3, 4).lock(NAME).acquire(PATIENCE);
        assertThat(before.token().value()).isGreaterThan(ahead);
        before.close();
        Holdfast rival = clients.clientWithout(0, 1);
        five.get(2).restart();
        clients.client(five.url()).lock("somewhere else").acquire(PATIENCE).close();
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
        fresh.forEach(clients::closing);
        Holdfast holdfast =
                clients.client(Five.url(fresh.stream().map(RedisServer::port).toList()));
        holdfast.lock(NAME).acquire(PATIENCE).close();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(fresh).allMatch(ReadmissionIT::votes));
    }

    @Test
    void untilThenItIsSaidThatNewServersDoNotVote() throws Exception {
        // With a longest lease that does not end while the test looks.
        five.servers.forEach(server -> server.call("FLUSHALL"));
        Duration day = Duration.ofDays(1);
        Holdfast holdfast = clients.closing(
                Holdfast.builder(Patient.quorum(five.url()).maxLease(day).connect())
                        .maxLease(day)
                        .build());
        assertThatThrownBy(() -> holdfast.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("does not vote yet");
        assertThat(holdfast.diagnose())
                .filteredOn(finding -> finding.severity() == Severity.DANGER)
                .extracting(Finding::code)
                .containsOnlyOnce("quorum.voting")
                .contains("quorum.node");
    }

    @Test
    void aCounterThatIsNoneIsNamedAndKeepsNobodyFromVotingWithoutNeed() throws Exception {
        // One such value ended every readmission with an exception that nobody saw: the node never voted again, and the
        // reports went on saying that it was being watched.
        String fence = Keys.standard().ofQuorum().of(NAME)[2];
        Holdfast both = clients.client(five.url());
        // A majority is enough for a lock, and on a busy machine it may be any: the test needs the counter of every
        // server.
        await().atMost(PATIENCE).until(() -> {
            both.lock(NAME).acquire(PATIENCE).close();
            return five.servers.stream().noneMatch(server -> server.call("GET", fence) == null);
        });
        five.get(0).call("SET", fence, "99999999999999999999");
        // Two do not remember, so of the three that do none can be spared.
        five.get(3).restart();
        five.get(4).restart();
        await().ignoreExceptions()
                .atMost(PATIENCE)
                .until(() -> both.diagnose().stream()
                        .anyMatch(finding -> finding.code().equals("quorum.node")
                                && finding.what().contains("'99999999999999999999' in " + fence)));
        assertThat(votes(five.get(3))).isFalse();
        five.get(0).call("SET", fence, five.get(1).text("GET", fence));
        await().atMost(PATIENCE).until(() -> votes(five.get(3)) && votes(five.get(4)));
        both.lock(NAME).acquire(PATIENCE).close();
    }

    @Test
    void itIsSaidWhenTheNextServerMayBeRestarted() throws Exception {
        // Restarted one after the other without waiting, five servers gave no lock for a minute, and nobody had been
        // warned.
        Holdfast both = clients.client(five.url());
        both.lock(NAME).acquire(PATIENCE).close();
        awaitSaid(both, Severity.NOTE);
        five.get(0).restart();
        // For three seconds. Whoever is held up for longer has missed it, and restarts it again.
        await().ignoreExceptions().atMost(PATIENCE).until(() -> {
            boolean said = says(both, "quorum.restart", Severity.WARNING);
            if (!said) {
                five.get(0).restart();
            }
            return said;
        });
        awaitSaid(both, Severity.NOTE);
        assertThat(votes(five.get(0))).isTrue();
    }

    @Test
    void aMajorityThatIsDownIsNotCalledAMinority() throws Exception {
        // Of each of the three it was said that a minority may be like that, and of the quorum nothing.
        Holdfast both = clients.client(five.url());
        both.lock(NAME).acquire(PATIENCE).close();
        five.servers.subList(0, 3).forEach(RedisServer::kill);
        await().ignoreExceptions()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(both.diagnose())
                        .anyMatch(finding ->
                                finding.code().equals("quorum.voting") && finding.severity() == Severity.DANGER)
                        .filteredOn(finding -> finding.code().equals("quorum.node"))
                        .extracting(Finding::severity)
                        .containsExactlyInAnyOrder(
                                Severity.DANGER, Severity.DANGER, Severity.DANGER, Severity.NOTE, Severity.NOTE));
    }

    private static void awaitSaid(Holdfast client, Severity severity) {
        await().ignoreExceptions().atMost(PATIENCE).until(() -> says(client, "quorum.restart", severity));
    }

    private static boolean says(Holdfast client, String code, Severity severity) throws InterruptedException {
        return client.diagnose().stream()
                .anyMatch(finding -> finding.code().equals(code) && finding.severity() == severity);
    }

    @Test
    void aClientWithAnotherListOfServersIsRefused() {
        // A majority of three and a majority of five need not share a server.
        List<Integer> three =
                five.servers.subList(0, 3).stream().map(RedisServer::port).toList();
        Holdfast mistaken = clients.patientClient(Five.url(three));
        assertThatThrownBy(() -> mistaken.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(five.get(3).name())
                .hasMessageContaining(five.get(4).name())
                .hasMessageContaining("which this client does not list");
        assertThat(votes(five.get(0))).isTrue();
    }
}
