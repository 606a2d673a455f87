package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Votes;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which servers make a quorum, and which are refused with the reason. */
@Timeout(240)
class RedlockConnectIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Keys KEYS = Keys.standard().ofQuorum();

    @RegisterExtension
    static final Five five = Five.servers();

    @Test
    void whatIsForeignUnderALocksKeyIsToldToWhoLooks() throws Exception {
        // "Nobody holds it" was the answer for a name that nobody could have.
        String lock = KEYS.lock("foreign");
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Holdfast holdfast = Holdfast.builder(Patient.quorum(five.url()).connect())
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        heard.add(notice.text());
                    }
                })
                .build()) {
            five.get(0).call("SET", lock, "not ours");
            five.get(1).call("LPUSH", lock, "x");
            // The other three can give it to somebody, and nobody has it.
            assertThat(holdfast.inspect("foreign")).isEmpty();
            five.get(2).call("SET", lock, "A 1 5 1 5 30000 x - 7 host no expiry");
            assertThatThrownBy(() -> holdfast.inspect("foreign"))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("did not write")
                    .hasMessageContaining(lock)
                    .hasMessageContaining("3 of 5 nodes have no say");
            assertThat(holdfast.list("foreign", 10)).isEmpty();
            await().atMost(PATIENCE).until(() -> !heard.isEmpty());
            assertThat(heard).singleElement().asString().contains("hold something that Holdfast did not write", lock);
        } finally {
            five.servers.forEach(server -> server.call("DEL", lock));
        }
    }

    @Test
    void fewerThanThreeServersAreRefused() {
        // With two, no server may fail.
        assertThatThrownBy(() -> RedlockBackend.connect("redlock://a:1,b:2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least three")
                .hasMessageContaining("these are 2");
    }

    @Test
    void moreServersThanAVoteCanCountAreRefused() {
        String many = IntStream.rangeClosed(1, 256).mapToObj(i -> "host:" + i).collect(Collectors.joining(","));
        assertThatThrownBy(() -> RedlockBackend.connect("redlock://" + many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 255 servers, these are 256");
    }

    @Test
    void aPasswordForEachServerIsRefusedWithTheFormThatWorks() {
        // It was "A quorum needs at least three servers, these are 1", because everything before the last '@' was taken
        // for one login.
        for (String url : List.of(
                "redlock://x:secret@a:1,y:secret@b:2,z:secret@c:3",
                "redlock://a:1,x:secret@b:2,c:3",
                "redlock://x:secret@a:1,b:2,y:secret@c:3,d:4,e:5")) {
            assertThatThrownBy(() -> RedlockBackend.connect(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("One user and password stand for all servers")
                    .hasMessageContaining("redlock://user:password@a:6379,b:6379,c:6379")
                    .hasMessageNotContaining("secret");
        }
        assertThat(RedlockUrl.parse("redlock://me:p,w@a:1,b:2,c:3")).hasSize(3);
    }

    @Test
    void anAddressThatIsListedTwiceIsRefused() {
        // One server has one vote.
        assertThatThrownBy(() -> RedlockBackend.connect("redlock://a:1,b:2,c:3,a:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a:1 is listed twice");
    }

    @Test
    void theSameServerUnderTwoAddressesIsRefused() throws Exception {
        // A proxy, or a second name: only the server itself can tell.
        try (Proxy alias = new Proxy(five.get(0).port())) {
            // Without the third it takes both of them for a majority: so both are waited for.
            String url = "redlock://127.0.0.1:" + five.get(0).port() + ",127.0.0.1:1,127.0.0.1:" + alias.port();
            assertThatThrownBy(() -> Patient.quorum(url).connect())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("lead to the same server")
                    .hasMessageContaining("127.0.0.1:" + alias.port());
        }
    }

    @Test
    void anotherSchemeIsRefusedWithoutRepeatingThePassword() {
        assertThatThrownBy(() -> RedlockBackend.connect("redis://:secret@a:1,b:2,c:3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redlock://")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aLoginAndADatabaseAreThoseOfEveryServer() {
        assertThat(RedlockUrl.parse("redlock://me:p@ss@a:1,b,[::1]:3/2"))
                .containsExactly("redis://me:p@ss@a:1/2", "redis://me:p@ss@b/2", "redis://me:p@ss@[::1]:3/2");
    }

    @Test
    void withoutAMajorityThereIsNothingToConnectTo() {
        // Two of five answer. The message says which do not.
        List<Integer> ports =
                new ArrayList<>(List.of(five.get(0).port(), five.get(1).port()));
        ports.addAll(List.of(1, 2, 3));
        assertThatThrownBy(() -> Patient.quorum(Five.url(ports)).connect())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("Only 2 of 5 servers can be reached, and 3 are needed")
                .hasMessageContaining("127.0.0.1:2");
    }

    @Test
    void anEvenNumberNeedsMoreThanHalf() throws Exception {
        // Four servers: three decide, so one may fail, and with two down nobody gets anything.
        try (Five four = Five.servers(4, Duration.ofSeconds(60)).start();
                Holdfast holdfast = Holdfast.over(Patient.quorum(four.url()).connect())) {
            Lease first = holdfast.lock("a").acquire(PATIENCE);
            assertThat(first.votes().nodes()).isEqualTo(4);
            assertThat(first.votes().granted()).isBetween(3, 4);
            first.close();
            four.get(3).kill();
            holdfast.lock("a").acquire(PATIENCE).close();
            four.get(2).kill();
            assertThatThrownBy(() -> holdfast.lock("a").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("of 4 nodes");
        }
    }

    @Test
    void votesAreShownToHoldersAndOperators() throws Exception {
        // All five stand for it; then one is asked to forget this one lock.
        try (Holdfast holdfast = Holdfast.over(Patient.quorum(five.url()).connect());
                Lease lease = withAllVotes(holdfast, "seen")) {
            assertThat(lease.votes().granted()).isBetween(3, 5);
            assertThat(holdfast.inspect("seen").orElseThrow().votes()).satisfies(votes -> {
                assertThat(votes).hasToString("5 of 5");
                assertThat(votes.grantedBy())
                        .hasSize(5)
                        .contains("127.0.0.1:" + five.get(2).port());
            });
            five.get(2).call("DEL", Keys.standard().ofQuorum().lock("seen"));
            assertThat(holdfast.inspect("seen").orElseThrow().votes().others())
                    .containsExactly("127.0.0.1:" + five.get(2).port());
            assertThat(holdfast.list("seen", 5))
                    .singleElement()
                    .satisfies(state -> assertThat(state.votes()).hasToString("4 of 5"));
        }
    }

    /** A node that is late has no say in a round, and that is right. */
    private static Lease withAllVotes(Holdfast holdfast, String name) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Lease lease = holdfast.lock(name).acquire(PATIENCE);
            if (holdfast.inspect(name).orElseThrow().votes().toString().equals("5 of 5")
                    || System.nanoTime() > deadline) {
                return lease;
            }
            lease.close();
        }
    }

    @Test
    void serversThatAreSlowToAnswerAreInitialisedAllTheSame() throws Exception {
        // One of them stands still for longer than a connection may take elsewhere.
        try (RedisServer one = RedisServer.embedded().start();
                RedisServer two = RedisServer.embedded().start();
                RedisServer slow = RedisServer.embedded().start()) {
            slow.pause();
            CompletableFuture.delayedExecutor(2500, TimeUnit.MILLISECONDS).execute(slow::resume);
            RedlockBackend.initialise(Five.url(List.of(one.port(), two.port(), slow.port())));
            assertThat(slow.text("GET", Keys.standard().ofQuorum().admission())).startsWith("admitted ");
        }
    }

    @Test
    void whatIsInUseIsNotInitialisedAgain() throws Exception {
        // The call states that no lease can exist: where anything is there, that may be wrong, and nothing is changed.
        assertThatThrownBy(() -> RedlockBackend.initialise(five.url()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has something already");
        try (RedisServer fresh = RedisServer.embedded().start()) {
            List<Integer> ports = List.of(five.get(0).port(), five.get(1).port(), fresh.port());
            assertThatThrownBy(() -> RedlockBackend.initialise(Five.url(ports)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(fresh.call("EXISTS", Keys.standard().ofQuorum().admission()))
                    .isEqualTo(0L);
        }
    }

    @Test
    void aLockOnOneOfTheServersAloneIsAnotherLock() throws Exception {
        // The same name, once on a single server and once on the quorum that this server belongs to.
        try (Holdfast single = Patient.client(five.get(0).url());
                Holdfast quorum = Holdfast.over(Patient.quorum(five.url()).connect());
                Lease one = single.lock("same").acquire(PATIENCE);
                Lease two = quorum.lock("same").acquire(PATIENCE)) {
            assertThat(one.isValid() && two.isValid()).isTrue();
            assertThat(one.votes()).isEqualTo(Votes.ONE_OF_ONE);
        }
    }

    @Test
    void aLeaseLongerThanTheServersWouldWaitForIsRefused() {
        // A node that restarts keeps silent for maxLease: a longer lease would not be protected by that.
        try (Holdfast holdfast = Holdfast.builder(Patient.quorum(five.url()).connect())
                .maxLease(Duration.ofMinutes(10))
                .build()) {
            assertThatThrownBy(() -> holdfast.lock("long")
                            .withLease(Duration.ofMinutes(5))
                            .acquire(PATIENCE))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("Set maxLease");
        }
    }

    /** The servers that know of the longer leases. */
    private static List<RedisServer> remembering(Five servers) {
        return servers.servers.stream()
                .filter(server -> server.text("GET", KEYS.admission()).contains(" 600000 "))
                .toList();
    }

    private static List<RedisServer> voting(Five servers, String name) {
        return servers.servers.stream()
                .filter(server -> server.call("GET", KEYS.lock(name)) != null)
                .toList();
    }

    @Test
    void aClientWithLongerLeasesRaisesWhatTheServersRemember() throws Exception {
        // A majority has to know, and every server that gives such a lease a vote. One that is slow to answer may hear
        // of
        // it later. No record ever goes back, whoever else comes.
        try (Five servers = Five.servers(3, Duration.ofSeconds(60)).start()) {
            RedlockBackend backend = Patient.quorum(servers.url())
                    .maxLease(Duration.ofMinutes(10))
                    .connect();
            List<RedisServer> known;
            try (Holdfast patient = Holdfast.builder(backend)
                            .maxLease(Duration.ofMinutes(10))
                            .build();
                    Lease lease = patient.lock("long")
                            .withLease(Duration.ofMinutes(5))
                            .acquire(PATIENCE)) {
                assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(4));
                List<RedisServer> votes = voting(servers, "long");
                known = remembering(servers);
                assertThat(votes).hasSizeGreaterThanOrEqualTo(2);
                assertThat(known).containsAll(votes);
            }
            try (Holdfast ordinary = Holdfast.over(Patient.quorum(servers.url()).connect())) {
                ordinary.lock("short").acquire(PATIENCE).close();
                assertThat(remembering(servers)).containsAll(known);
            }
        }
    }
}
