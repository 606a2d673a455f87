package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.QuorumClients;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A quorum is its list of servers: who has another list is refused, and a server is replaced only explicitly. */
@Timeout(400)
class ServerListIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration MAX_LEASE = Duration.ofSeconds(2);
    private static final String NAME = "one holder";

    private final Five five = Five.servers(5, MAX_LEASE);
    private final RedisServer sixth = RedisServer.embedded();
    private final QuorumClients clients = new QuorumClients(five, MAX_LEASE);

    @BeforeEach
    void start() {
        five.start();
        sixth.start();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
        sixth.close();
        five.close();
    }

    /** The first four and the sixth. */
    private String otherUrl() {
        return urlWith(sixth);
    }

    private String urlWith(RedisServer newcomer) {
        List<Integer> ports = new ArrayList<>();
        five.servers.subList(0, 4).forEach(server -> ports.add(server.port()));
        ports.add(newcomer.port());
        return Five.url(ports);
    }

    private static List<Integer> ports(List<RedisServer> servers) {
        return servers.stream().map(RedisServer::port).toList();
    }

    private static boolean isVoting(RedisServer server) {
        return record(server).startsWith("admitted ");
    }

    private static String record(RedisServer server) {
        return server.text("GET", Keys.standard().ofQuorum().admission());
    }

    @Test
    void aListOfTheSameLengthWithAnotherServerIsRefused() throws Exception {
        // Only the number of servers was compared. The sixth was taught to vote by the client that lists it, after the
        // longest lease; then 1, 2, 5 and 3, 4, 6 were two majorities, and both held the lock.
        Holdfast right = clients.client(five.url());
        right.lock("anything").acquire(PATIENCE).close();
        Holdfast wrong = clients.patientClient(otherUrl());
        assertThatThrownBy(() -> wrong.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("It has " + five.get(4).name() + ", which this client does not list")
                .hasMessageContaining("This client lists " + sixth.name() + ", which the quorum does not have");
        long until = System.nanoTime() + 3 * MAX_LEASE.toNanos();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
            assertThat(record(sixth)).doesNotStartWith("admitted");
            return System.nanoTime() > until;
        });
        assertThatThrownBy(() -> wrong.lock(NAME).tryAcquire()).isInstanceOf(LockUnavailableException.class);
        assertThat(wrong.diagnose())
                .filteredOn(finding -> finding.severity() == Severity.DANGER)
                .anyMatch(finding ->
                        finding.code().equals("quorum.list") && finding.what().contains(sixth.name()));
        right.lock(NAME).acquire(PATIENCE).close();
    }

    @Test
    void ofTwoListsOnNewServersAtMostOneBeginsToVote() throws Exception {
        // Nobody has initialised anything, and two clients disagree from the start. Each found a majority of its own
        // that
        // nobody else had claimed.
        five.servers.forEach(server -> server.call("FLUSHALL"));
        Holdfast one = clients.client(five.url());
        Holdfast two = clients.client(otherUrl());
        long until = System.nanoTime() + 3 * MAX_LEASE.toNanos();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
            assertThat(isGranted(one) && isGranted(two)).isFalse();
            return System.nanoTime() > until;
        });
    }

    private static boolean isGranted(Holdfast client) throws InterruptedException {
        try {
            return client.lock(NAME).tryAcquire().isPresent();
        } catch (LockUnavailableException refused) {
            return false;
        }
    }

    @Test
    void anEmptyServerIsReadmittedUnderTheNameItHasOnTheList() throws Exception {
        // The fifth comes back empty, and is reached under another address, with its name.
        try (Proxy alias = new Proxy(five.get(4).port())) {
            List<Integer> ports = new ArrayList<>(ports(five.servers.subList(0, 4)));
            ports.add(alias.port());
            Holdfast elsewhere = clients.client(Five.url(ports));
            elsewhere.lock(NAME).acquire(PATIENCE).close();
            five.get(4).restart();
            await().atMost(PATIENCE).until(() -> isVoting(five.get(4)));
            // Without the name it is another list, and that is said.
            assertThatThrownBy(() -> clients.patientClient("redlock://"
                                    + ports.stream()
                                            .map(port -> "127.0.0.1:" + port)
                                            .collect(Collectors.joining(",")))
                            .lock(NAME)
                            .tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("name=address");
        }
    }

    @Test
    void aServerIsReplacedByAnExplicitCall() throws Exception {
        Holdfast old = clients.patientClient(five.url());
        Lease held = old.lock(NAME).withLease(MAX_LEASE).fixed().acquire(PATIENCE);
        clients.patientBuilder(otherUrl()).replaceServer(five.get(4).name(), sixth.name());
        assertThat(isVoting(sixth)).isFalse();
        // Those that stay keep what they know: the lock is held for the clients with the new list, too.
        Holdfast fresh = clients.client(otherUrl());
        Lease next = fresh.lock(NAME).acquire(PATIENCE);
        assertThat(held.isValid()).isFalse();
        assertThat(next.token().value()).isGreaterThan(held.token().value());
        next.close();
        assertThatThrownBy(() -> old.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("It has " + sixth.name() + ", which this client does not list");
        await().atMost(PATIENCE).until(() -> isVoting(sixth));
        // The old server gives votes only to who has the old list, and is alone with that.
        fresh.lock(NAME).acquire(PATIENCE).close();
        assertThatThrownBy(() -> clients.client(five.url()).lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class);
        // Asked again, it is done already.
        clients.patientBuilder(otherUrl()).replaceServer(five.get(4).name(), sixth.name());
    }

    @Test
    void theNewServerDoesNotVoteBeforeTheLeasesOfTheOldListAreOver() throws Exception {
        // Held on 3, 4, 5. Then 5 is replaced by 6: with 1, 2 and 6 a client with the new list would have a majority.
        Lease held = clients.clientWithout(0, 1)
                .lock(NAME)
                .withLease(MAX_LEASE)
                .fixed()
                .acquire(PATIENCE);
        clients.patientBuilder(otherUrl()).replaceServer(five.get(4).name(), sixth.name());
        Lease next = clients.client(otherUrl()).lock(NAME).acquire(PATIENCE);
        assertThat(held.isValid()).as("two valid leases").isFalse();
        assertThat(next.token().value()).isGreaterThan(held.token().value());
    }

    @Test
    void aServerThatMissedTheReplacementFollowsByItself() throws Exception {
        five.get(0).pause();
        clients.builder(otherUrl()).replaceServer(five.get(4).name(), sixth.name());
        five.get(0).resume();
        assertThat(AdmissionRecord.parse(record(five.get(0))).version()).isEqualTo(1);
        Holdfast fresh = clients.client(otherUrl());
        fresh.lock(NAME).acquire(PATIENCE).close();
        await().atMost(PATIENCE).untilAsserted(() -> {
            AdmissionRecord record = AdmissionRecord.parse(record(five.get(0)));
            assertThat(record.version()).isEqualTo(2);
            assertThat(record.servers()).contains(sixth.name());
            assertThat(record.isAdmitted()).isTrue();
        });
    }

    @Test
    void aReplacementThatCannotBeDoneChangesNothing() {
        // The new one has a past; the old list is not theirs; too few are there.
        sixth.call("SET", Keys.standard().ofQuorum().admission(), "admitted 0:a:b 60000 1 x:1");
        assertThatThrownBy(() -> clients.patientBuilder(otherUrl())
                        .replaceServer(five.get(4).name(), sixth.name()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Nothing was changed")
                .hasMessageContaining("must not remember anything");
        sixth.call("FLUSHALL");
        assertThatThrownBy(() -> clients.patientBuilder(otherUrl()).replaceServer("nobody:1", sixth.name()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to neither list");
        assertThatThrownBy(() -> clients.patientBuilder(five.url())
                        .replaceServer(five.get(4).name(), sixth.name()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes the new list");
        five.get(0).call("FLUSHALL");
        five.get(1).call("FLUSHALL");
        assertThatThrownBy(() -> clients.patientBuilder(otherUrl())
                        .replaceServer(five.get(4).name(), sixth.name()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2 of 5 servers know the list");
        assertThat(record(five.get(2))).contains(five.get(4).name());
    }

    @Test
    void aServerThatMayForgetDoesNotTakeThePlaceOfAnother() {
        // It was put on the list in silence, and then gave no votes: the quorum had one server less, and nobody knew
        // why.
        sixth.call("CONFIG", "SET", "maxmemory", "100mb");
        sixth.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        assertThatThrownBy(() -> clients.patientBuilder(otherUrl())
                        .replaceServer(five.get(4).name(), sixth.name()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Nothing was changed")
                .hasMessageContaining(sixth.name())
                .hasMessageContaining("maxmemory-policy allkeys-lru")
                .hasMessageContaining("Set maxmemory-policy noeviction");
        assertThat(five.servers)
                .allSatisfy(server ->
                        assertThat(record(server)).contains(five.get(4).name()));
        sixth.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
        clients.patientBuilder(otherUrl()).replaceServer(five.get(4).name(), sixth.name());
        assertThat(record(five.get(0))).contains(sixth.name());
    }

    @Test
    void ofTwoReplacementsAtOnceOneIsDoneAndTheOtherIsToldSo() throws Exception {
        // Both want to put a server of their own in the place of the fifth. Each bound two of the four that stay to its
        // list: no list had a majority, and neither call could be finished by calling it again.
        try (RedisServer seventh = RedisServer.embedded().start()) {
            CountDownLatch bothHaveLooked = new CountDownLatch(2);
            CompletableFuture<String> one = replaceHeldUp(sixth, List.of(0, 1), bothHaveLooked, seventh.name());
            CompletableFuture<String> two = replaceHeldUp(seventh, List.of(2, 3), bothHaveLooked, sixth.name());
            List<String> answers = List.of(one.get(120, TimeUnit.SECONDS), two.get(120, TimeUnit.SECONDS));
            assertThat(answers).anyMatch(each -> each.isEmpty() || each.contains("Nothing was changed"));
            assertThat(answers)
                    .allMatch(each -> each.isEmpty()
                            || (each.contains("Nothing was changed") && each.contains("another replacement")));
            // Whoever was told so can go on, if nobody else has.
            RedisServer winner = answers.get(0).isEmpty() || !answers.get(1).isEmpty() ? sixth : seventh;
            clients.patientBuilder(urlWith(winner)).replaceServer(five.get(4).name(), winner.name());
            assertThat(five.servers.subList(0, 4))
                    .allSatisfy(server -> assertThat(record(server)).contains(winner.name()));
        }
    }

    /** The answer of the call, empty if it was done. The servers with these numbers hear of it after the other call. */
    private CompletableFuture<String> replaceHeldUp(
            RedisServer newcomer, List<Integer> later, CountDownLatch bothHaveLooked, String rival) {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RedisServer server = five.get(i);
            Proxy way = clients.closing(new Proxy(server.port()));
            boolean isLater = later.contains(i);
            boolean isFirst = i == 0;
            way.whenNext(Script.QUORUM_REPLACE.sha(), () -> {
                if (isFirst) {
                    bothHaveLooked.countDown();
                }
                // Limits, because a call that fails before this step never comes to it.
                awaitQuietly(bothHaveLooked);
                if (isLater) {
                    await().atMost(PATIENCE)
                            .until(() -> record(server).contains(rival) || bothHaveLooked.getCount() > 0);
                }
            });
            ports.add(way.port());
        }
        ports.add(newcomer.port());
        String url = Five.url(ports);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        clients.patientBuilder(url).replaceServer(five.get(4).name(), newcomer.name());
                        return "";
                    } catch (IllegalStateException refused) {
                        return refused.getMessage();
                    }
                },
                task -> new Thread(task).start());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(Patient.NODE_TIMEOUT.dividedBy(2).toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void ofTwoThatInitialiseDifferentListsAtOnceAtMostOneSucceeds() throws Exception {
        // Each looked, found nothing, and wrote where the other had not: both came to a majority.
        five.servers.forEach(server -> server.call("FLUSHALL"));
        List<CompletableFuture<Boolean>> both = List.of(initialise(five.url()), initialise(otherUrl()));
        assertThat(both.stream().filter(CompletableFuture::join).count()).isLessThanOrEqualTo(1);
        long voting = five.servers.stream().filter(ServerListIT::isVoting).count();
        assertThat(voting == 0 || both.stream().anyMatch(CompletableFuture::join))
                .isTrue();
    }

    private CompletableFuture<Boolean> initialise(String url) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        clients.patientBuilder(url).initialise();
                        return true;
                    } catch (IllegalStateException occupied) {
                        return false;
                    }
                },
                task -> new Thread(task).start());
    }
}
