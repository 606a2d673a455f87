package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits looks every few seconds, with one request for everything. Virtual time, the test is the server. */
@Timeout(120)
class QueuedClaimsCheckTest {
    private static final Duration PERIOD = Duration.ofMillis(3500);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String HOLDER = "7 elsewhere ";

    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final Holdfast holdfast = Holdfast.builder(
                    RedisBackend.overNode(node, Keys.standard(), Duration.ofSeconds(2), Duration.ofSeconds(2)))
            .environment(time)
            .closeGrace(Duration.ZERO)
            .build();

    private CompletableFuture<Lease> queued(String name) {
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync();
        queue(0);
        return waiting;
    }

    private void queue(long kept) {
        node.next(Script.ACQUIRE).answer(0L, node.micros(), LEASE.toMillis(), 1L, kept, 0L, HOLDER);
    }

    @Test
    void oneRequestForAllNames() {
        for (int i = 0; i < 100; i++) {
            queued("a-" + i);
        }
        time.advance(PERIOD);
        assertThat(node.looks).hasSize(1);
        assertThat(node.looks.get(0).arguments()).hasSize(102);
        assertThat(node.requests).isEmpty();
        time.advance(PERIOD.multipliedBy(4));
        assertThat(node.looks).hasSizeBetween(5, 7);
    }

    @Test
    void thousandsOfNamesAreAskedInPortions() {
        for (int i = 0; i < 1200; i++) {
            queued("a-" + i);
        }
        time.advance(PERIOD);
        assertThat(node.looks).hasSize(3);
    }

    @Test
    void whoWaitsForNothingSendsNothing() {
        CompletableFuture<Lease> waiting = queued("a");
        waiting.cancel(false);
        node.next(Script.WITHDRAW).answer(0L, 0L);
        time.advance(PERIOD.multipliedBy(10));
        assertThat(node.looks).isEmpty();
        assertThat(node.requests).isEmpty();
        queued("a");
        time.advance(PERIOD);
        assertThat(node.looks).hasSize(1);
    }

    @Test
    void aClaimThatIsNotWhereItWasIsAskedAgain() {
        // After FLUSHALL the second of two waiters is told. It used to sleep until the end of the lease it had met.
        queued("a");
        queued("b");
        node.lookAnswer = List.of(1L, 2L);
        time.advance(PERIOD);
        String asked = node.looks.get(0).arguments().get(3).split(" ", 2)[0];
        FakeNode.Request again = node.next(Script.ACQUIRE);
        assertThat(again.owner()).isEqualTo(asked);
        assertThat(node.requests).isEmpty();
    }

    @Test
    void anInboxThatNobodySubscribesIsReplaced() {
        queued("a");
        node.lookAnswer = List.of(0L);
        node.echoes = false;
        time.advance(PERIOD);
        assertThat(node.inboxesReplaced).isEqualTo(1);
    }

    @Test
    void anInboxThatHearsNothingIsReplacedByTheNextLook() {
        // The server still counts a connection that is dead: only what does not come back shows it.
        queued("a");
        node.echoes = false;
        time.advance(PERIOD);
        assertThat(node.inboxesReplaced).isZero();
        time.advance(PERIOD);
        assertThat(node.inboxesReplaced).isEqualTo(1);
    }

    @Test
    void anInboxThatHearsStays() {
        queued("a");
        time.advance(PERIOD.multipliedBy(10));
        assertThat(node.inboxesReplaced).isZero();
    }

    @Test
    void anEchoThatWasSentToAnEarlierInboxIsNotMissed() {
        queued("a");
        node.echoes = false;
        time.advance(PERIOD);
        node.subscribe();
        queue(1);
        node.echoes = true;
        time.advance(PERIOD.multipliedBy(3));
        assertThat(node.inboxesReplaced).isZero();
    }

    @Test
    void aNewChannelTakesThePlaceOfTheOld() {
        // Every subscription has a channel of its own. The claim asks with the new one and names the entry with the old
        // one, so that it keeps its place.
        queued("a");
        time.advance(PERIOD);
        String former = node.looks.get(0).arguments().get(2);
        node.subscribe();
        FakeNode.Request again = node.next(Script.ACQUIRE);
        assertThat(again.arguments()).hasSize(8).last().isEqualTo(former);
        assertThat(again.arguments().get(6)).doesNotContain(former.split(" ", 3)[1]);
        again.answer(0L, node.micros(), LEASE.toMillis(), 1L, 1L, 0L, HOLDER);
        assertThat(node.inboxesReplaced).isZero();
        time.advance(PERIOD);
        assertThat(node.looks.get(1).arguments().get(2)).isNotEqualTo(former);
    }
}
