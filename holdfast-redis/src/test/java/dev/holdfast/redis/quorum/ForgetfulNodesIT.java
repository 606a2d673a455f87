package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.QuorumClients;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that may remove held locks when their memory is full do not vote. */
@Timeout(300)
class ForgetfulNodesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration MAX_LEASE = Duration.ofSeconds(6);
    private static final String NAME = "kept";

    private final Five five = Five.servers(5, MAX_LEASE);
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

    private static void setPolicy(RedisServer server, String policy) {
        server.call("CONFIG", "SET", "maxmemory", "100mb");
        server.call("CONFIG", "SET", "maxmemory-policy", policy);
    }

    private static boolean votes(RedisServer server) {
        return server.text("GET", Keys.standard().ofQuorum().admission()).startsWith("admitted ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void serversThatMayForgetGiveNoVotesAndTheReasonIsSaid(String policy) throws Exception {
        // The lock vanished on three nodes while their admission stayed, and a second client won.
        five.servers.subList(0, 3).forEach(server -> setPolicy(server, policy));
        Holdfast holdfast = clients.patientClient(five.url());
        assertThatThrownBy(() -> holdfast.lock(NAME).tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("maxmemory-policy " + policy)
                .hasMessageContaining("Set maxmemory-policy noeviction");
        assertThat(holdfast.diagnose())
                .filteredOn(finding -> finding.severity() == Severity.DANGER)
                .anyMatch(finding -> finding.code().equals("quorum.eviction")
                        && finding.what().contains(policy));
        // Not for other clients either, which may have looked before.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(five.servers.subList(0, 3)).noneMatch(ForgetfulNodesIT::votes));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(clients.notices())
                        .anyMatch(each -> each.contains(five.get(0).name()) && each.contains(policy)));
    }

    @Test
    void aPolicyThatIsSetAtRunTimeIsNoticedAndMended() throws Exception {
        // Held on all five; two of them begin to forget. The holder keeps its lock by the other three.
        Holdfast holdfast = clients.client();
        Lease held = heldByAllFive(holdfast);
        five.servers.subList(0, 2).forEach(server -> setPolicy(server, "allkeys-lru"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(five.servers.subList(0, 2)).noneMatch(ForgetfulNodesIT::votes));
        assertThat(held.isValid()).isTrue();
        five.servers.subList(0, 2).forEach(server -> setPolicy(server, "noeviction"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(five.servers.subList(0, 2)).allMatch(ForgetfulNodesIT::votes));
        assertThat(held.isValid()).isTrue();
        held.close();
    }

    /** Three votes are enough for a lease: on a slow machine one of the three that stay may have been left out. */
    private static Lease heldByAllFive(Holdfast holdfast) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            Lease lease = holdfast.lock(NAME).acquire(PATIENCE);
            for (int look = 0; look < 10; look++) {
                if (holdfast.inspect(NAME).map(state -> state.votes().granted()).orElse(0) == 5) {
                    return lease;
                }
            }
            lease.close();
        }
        throw new AssertionError("No lease got the votes of all five servers");
    }

    @Test
    void aServerThatHasRemovedKeysSitsOutThoughItNoLongerDoes() throws Exception {
        // The policy was set and taken back between two looks: what it removed meanwhile may have been a lock.
        Holdfast holdfast = clients.client();
        Lease held = holdfast.lock(NAME).acquire(PATIENCE);
        RedisServer forgetful = five.get(1);
        // Not the record of its admission, which has no expiry: the node itself does not know that it has forgotten.
        setPolicy(forgetful, "volatile-lru");
        forgetful.call("SET", "other", "x".repeat(1000), "PX", "600000");
        forgetful.call("CONFIG", "SET", "maxmemory", "1");
        await().atMost(PATIENCE)
                .until(() -> forgetful.text("INFO", "stats").lines().noneMatch("evicted_keys:0"::equals));
        setPolicy(forgetful, "noeviction");
        await().atMost(PATIENCE)
                .until(() -> clients.notices().stream()
                        .anyMatch(each -> each.startsWith(forgetful.name())
                                && (each.contains("keys to make room") || each.contains("does not vote"))));
        await().atMost(PATIENCE).until(() -> votes(forgetful));
        assertThat(held.isValid()).isTrue();
        held.close();
    }

    @Test
    void serversThatMayForgetAreNotInitialised() {
        five.servers.forEach(server -> server.call("FLUSHALL"));
        setPolicy(five.get(2), "allkeys-random");
        assertThatThrownBy(() -> clients.patientBuilder(five.url()).initialise())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(five.get(2).name())
                .hasMessageContaining("noeviction");
        assertThat(five.get(0).call("EXISTS", Keys.standard().ofQuorum().admission()))
                .isEqualTo(0L);
    }
}
