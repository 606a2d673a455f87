package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whether a server may forget locks is said on connecting, and again when it changes. Virtual time. */
class EvictionWatchTest {
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final MemoryPolicy EVICTS = new MemoryPolicy(true, true, "volatile-lru", 0);

    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final Reports reports = new Reports();
    private final RedisBackend backend =
            RedisBackend.overNode(node, Keys.standard(), Duration.ofSeconds(2), Duration.ofSeconds(2));

    private void use() {
        Owner owner = Owner.random(time.random());
        var unused = backend.tryAcquire(Claim.of("a", owner, PERIOD, 1, new Holder("here", 1, "")));
    }

    @Test
    void itIsSaidOnConnecting() {
        // Only diagnose() used to say it: whoever did not ask learned of it from a lock that two held.
        node.memory = EVICTS;
        backend.open(time, reports);
        assertThat(reports.disturbances).singleElement().asString().contains("volatile-lru", "noeviction");
    }

    @Test
    void aServerThatKeepsItsKeysIsNoNews() {
        // A policy without a limit, and a limit without a policy, remove nothing.
        node.memory = new MemoryPolicy(true, false, "allkeys-lru", 0);
        backend.open(time, reports);
        node.memory = new MemoryPolicy(true, true, "noeviction", 0);
        node.listener.reconnected();
        assertThat(reports.disturbances).isEmpty();
    }

    @Test
    void aChangeIsSaidWithinAMinuteOfUse() {
        backend.open(time, reports);
        use();
        node.memory = EVICTS;
        time.advance(PERIOD);
        assertThat(reports.disturbances).singleElement().asString().contains("volatile-lru");
        use();
        time.advance(PERIOD);
        assertThat(reports.disturbances).as("said once").hasSize(1);
        use();
        node.memory = new MemoryPolicy(true, true, "noeviction", 0);
        time.advance(PERIOD);
        assertThat(reports.disturbances).hasSize(2).last().asString().contains("no longer");
    }

    @Test
    void removedKeysAreSaidThoughThePolicyIsPutBack() {
        // Between two looks the policy was set, keys went, and it was put back: only the number shows it.
        backend.open(time, reports);
        use();
        node.memory = new MemoryPolicy(true, false, "noeviction", 7);
        time.advance(PERIOD);
        assertThat(reports.disturbances).singleElement().asString().contains("removed 7 keys");
    }

    @Test
    void anotherServerBehindTheAddressIsCompared() {
        backend.open(time, reports);
        node.memory = EVICTS;
        node.listener.reconnected();
        assertThat(reports.disturbances).singleElement().asString().contains("volatile-lru");
    }

    @Test
    void aClientThatIsNotUsedAsksNothing() {
        backend.open(time, reports);
        time.advance(Duration.ofHours(1));
        assertThat(node.identified).isZero();
        use();
        use();
        time.advance(Duration.ofHours(1));
        assertThat(node.identified).isEqualTo(1);
    }

    @Test
    void whatCannotBeSeenIsSaidOnce() {
        node.memory = MemoryPolicy.UNKNOWN;
        backend.open(time, reports);
        use();
        time.advance(PERIOD);
        node.listener.reconnected();
        assertThat(reports.disturbances).singleElement().asString().contains("+info");
    }
}
