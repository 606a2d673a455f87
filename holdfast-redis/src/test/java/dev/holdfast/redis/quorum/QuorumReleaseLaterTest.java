package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that three nodes are to keep after its release. Virtual time, the test is the servers. */
class QuorumReleaseLaterTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration KEEP = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private final Holding holding = new Holding("a", new Owner(1, 2), 77, LEASE);
    private QuorumClient client;

    @BeforeEach
    void open() {
        client = new QuorumClient(
                nodes,
                ServerList.of(List.of("a:1", "b:2", "c:3")),
                Keys.standard().ofQuorum(),
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60),
                time,
                new Reports());
        client.open();
        nodes.forEach(node -> node.next(Script.QUORUM_MAXLEASE).answer(1L, node.micros(), 60_000L));
        time.advance(Duration.ofMillis(1));
    }

    private CompletableFuture<Boolean> later(Duration keep) {
        return client.releaseLater(holding, keep).toCompletableFuture();
    }

    private void keeps(int node, long waiting) {
        FakeNode at = nodes.get(node);
        at.next(Script.QUORUM_RELEASE_LATER).answer(1L, at.micros(), waiting);
    }

    private void isNotOurs(int node) {
        FakeNode at = nodes.get(node);
        at.next(Script.QUORUM_RELEASE_LATER).answer(0L, at.micros(), 0L);
    }

    private void isSilent(int node) {
        nodes.get(node)
                .next(Script.QUORUM_RELEASE_LATER)
                .answer()
                .completeExceptionally(new TimeoutException("silent"));
    }

    @Test
    void itIsKeptOnceAMajorityKeepsIt() {
        CompletableFuture<Boolean> said = later(KEEP);
        keeps(0, 0);
        assertThat(said).isNotDone();
        keeps(2, 0);
        assertThat(said).isCompletedWithValue(true);
    }

    @Test
    void aMinorityIsNoProofAndTheOthersAreAskedAgainWithWhatIsLeft() {
        CompletableFuture<Boolean> said = later(KEEP);
        keeps(0, 0);
        isSilent(1);
        isSilent(2);
        assertThat(said).isCompletedExceptionally();
        time.advance(Duration.ofSeconds(1));
        FakeNode.Request again = nodes.get(1).next(Script.QUORUM_RELEASE_LATER);
        assertThat(Long.parseLong(again.arguments().get(4))).isBetween(4_000L, 4_990L);
    }

    @Test
    void aNodeThatIsBackAfterTheTimeIsOverLetsGo() {
        CompletableFuture<Boolean> said = later(KEEP);
        keeps(0, 0);
        keeps(1, 0);
        isSilent(2);
        assertThat(said).isCompletedWithValue(true);
        time.advance(Duration.ofSeconds(1));
        FakeNode.Request again = nodes.get(2).next(Script.QUORUM_RELEASE_LATER);
        time.advance(KEEP);
        again.answer().completeExceptionally(new TimeoutException("silent"));
        time.advance(KEEP);
        nodes.get(2).next(Script.QUORUM_RELEASE);
    }

    @Test
    void whereAMajorityHasItNotItIsGone() {
        CompletableFuture<Boolean> said = later(KEEP);
        isNotOurs(0);
        keeps(1, 0);
        isNotOurs(2);
        assertThat(said).isCompletedWithValue(false);
    }

    @Test
    void aTimeLongerThanAnyLeaseIsToldToAMajorityFirst() {
        // A node that forgets would vote again after the longest lease that the others know of.
        CompletableFuture<Boolean> said = later(Duration.ofSeconds(150));
        FakeNode first = nodes.get(0);
        FakeNode.Request told = first.next(Script.QUORUM_MAXLEASE);
        assertThat(told.arguments().get(1)).isEqualTo("180000");
        told.answer(1L, first.micros(), 180_000L);
        assertThat(first.requests).isEmpty();
        FakeNode second = nodes.get(1);
        second.next(Script.QUORUM_MAXLEASE).answer(1L, second.micros(), 180_000L);
        keeps(0, 0);
        // The third does not know yet.
        FakeNode third = nodes.get(2);
        third.next(Script.QUORUM_MAXLEASE);
        third.next(Script.QUORUM_RELEASE_LATER).answer(-2L, third.micros(), 60_000L);
        assertThat(third.next(Script.QUORUM_MAXLEASE).arguments().get(1)).isEqualTo("180000");
        assertThat(said).isNotDone();
        keeps(1, 0);
        assertThat(said).isCompletedWithValue(true);
        time.advance(Duration.ofSeconds(1));
        third.next(Script.QUORUM_RELEASE_LATER);
    }

    @Test
    void whoWaitsAtANodeIsToldItsTurnWhenTheTimeIsOver() {
        var unused = later(KEEP);
        keeps(0, 0);
        keeps(1, 2);
        keeps(2, 0);
        time.advance(KEEP);
        nodes.forEach(node -> assertThat(node.requests).isEmpty());
        time.advance(Duration.ofMillis(100));
        nodes.get(1).next(Script.QUORUM_HANDOVER);
        assertThat(nodes.get(0).requests).isEmpty();
    }
}
