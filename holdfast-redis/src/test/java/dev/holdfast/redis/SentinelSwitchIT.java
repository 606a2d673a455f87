package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.SentinelFailover;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients hear from sentinels that another server is the master, also those that have nothing to ask. */
@Timeout(600)
class SentinelSwitchIT {
    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    private final SentinelFailover control = new SentinelFailover(sentinels);

    @AfterEach
    void restore() {
        control.restore();
    }

    private static String url(String client) {
        return sentinels.url() + "?clientName=" + client;
    }

    private static List<String> connections(RedisServer server, String client) {
        return server.text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains(" name=" + client + " "))
                .toList();
    }

    /** The number that the server gave the connection on which requests are under way. */
    private static List<String> forCommands(RedisServer server, String client) {
        return connections(server, client).stream()
                .filter(line -> line.contains(" sub=0 "))
                .map(line -> line.replaceAll(" .*", ""))
                .toList();
    }

    /** Connections to sentinels that are subscribed to something: sentinels do not know PUBSUB. */
    private static long listeners() {
        return sentinels.sentinels().stream()
                .flatMap(each -> each.text("CLIENT", "LIST").lines())
                .filter(line -> line.contains(" sub=1 "))
                .count();
    }

    private static void awaitConnections(RedisServer server, String client, int wanted) {
        RedisCluster.await(
                client + " has " + wanted + " connections",
                () -> connections(server, client).size() == wanted);
    }

    private static void awaitListeners(long wanted) {
        RedisCluster.await("the sentinels are heard", () -> listeners() == wanted);
    }

    /** The server counts a connection before its client uses it. */
    private static void awaitAnswer(Holdfast holdfast) {
        RedisCluster.await("it is answered", () -> {
            try {
                return holdfast.inspect("free").isEmpty();
            } catch (LockUnavailableException notYet) {
                return false;
            }
        });
    }

    @Test
    void whoSendsNothingLeavesAMasterThatStandsStill() throws Exception {
        // It stayed, and was served by the old master when that went on: two masters, two holders.
        RedisServer former = sentinels.master();
        try (Holdfast idle = Patient.client(url("idle"))) {
            awaitConnections(former, "idle", 2);
            awaitListeners(3);
            control.freeze("any");
            control.takeOver("any");
            RedisServer now = sentinels.master();
            awaitConnections(now, "idle", 2);
            former.resume();
            awaitConnections(former, "idle", 0);
            List<String> moved = forCommands(now, "idle");
            try (Lease lease = idle.lock("after").acquire(Duration.ofSeconds(60))) {
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(forCommands(now, "idle"))
                    .as("three announcements, one move")
                    .isEqualTo(moved);
        }
    }

    @Test
    void aSwitchBeforeAnybodyListenedIsFoundOut() throws Exception {
        // Announced once, to nobody. Its commands stayed at the old master, its inbox went to the new one.
        RedisBackend backend = Patient.backend(url("early"));
        control.freeze("any");
        control.takeOver("any");
        RedisServer now = sentinels.master();
        try (Holdfast holdfast = Holdfast.over(backend)) {
            awaitConnections(now, "early", 2);
            awaitAnswer(holdfast);
        }
    }

    @Test
    void confirmedClaimsFollowToo() throws Exception {
        RedisServer former = sentinels.master();
        try (Holdfast idle = Patient.client(url("confirmed") + "&waitForReplicas=1")) {
            awaitConnections(former, "confirmed", 3);
            awaitListeners(3);
            control.freeze("any");
            control.takeOver("any");
            RedisServer now = sentinels.master();
            awaitConnections(now, "confirmed", 3);
            awaitAnswer(idle);
        }
    }

    @Test
    void sentinelsThatDoNotPermitItAreNotAskedAgain() throws Exception {
        permit("-subscribe");
        try (Holdfast holdfast = Patient.client(url("mute"));
                Lease lease = holdfast.lock("mute").acquire(Duration.ofSeconds(60))) {
            RedisCluster.await("each has refused", () -> refused() == 3);
            Thread.sleep(3_000);
            assertThat(refused()).isEqualTo(3);
            assertThat(lease.isValid()).isTrue();
        } finally {
            permit("+subscribe");
        }
    }

    @Test
    void aServerIsNoSentinel() {
        // It was said to be too old.
        assertThatThrownBy(() -> RedisBackend.connect(
                        "redis+sentinel://" + sentinels.master().name() + "/" + RedisSentinels.MASTER))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("is no sentinel");
    }

    private static void permit(String command) {
        sentinels.sentinels().forEach(each -> each.call("ACL", "SETUSER", "default", command));
    }

    /** Of all sentinels. */
    private static long refused() {
        return sentinels.sentinels().stream()
                .map(each -> (List<?>) each.call("ACL", "LOG"))
                .flatMap(List::stream)
                .map(List.class::cast)
                .mapToLong(entry -> Long.parseLong(String.valueOf(entry.get(1))))
                .sum();
    }

    @Test
    void nothingIsLeftBehind() {
        Holdfast holdfast = Patient.client(url("gone"));
        awaitListeners(3);
        holdfast.close();
        awaitListeners(0);
    }
}
