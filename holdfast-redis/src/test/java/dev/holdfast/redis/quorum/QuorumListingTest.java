package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockState;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever has gone is not worked for, on none of three nodes. */
class QuorumListingTest {
    private static final Keys KEYS = Keys.standard();

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private RedlockBackend backend;
    private CompletableFuture<List<LockState>> listing;

    @BeforeEach
    void list() {
        backend = RedlockBackend.overNodes(
                nodes,
                ServerList.of(List.of("a:1", "b:2", "c:3")),
                KEYS,
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60));
        backend.open(time, new Reports());
        nodes.forEach(node -> node.next(Script.QUORUM_MAXLEASE).answer(1L, node.micros(), 60_000L));
        listing = backend.list("", 1000).toCompletableFuture();
    }

    @Test
    void aMajorityThatWasTooSlowIsAskedAgainWhoHoldsALock() {
        // On a busy machine a process that had just started was told that nobody knows.
        nodes.forEach(node -> node.next(Script.SCAN).answer("0", List.of()));
        CompletableFuture<List<LockState>> state = backend.describe("a").toCompletableFuture();
        nodes.forEach(node -> node.next(Script.QUORUM_DESCRIBE)
                .answer()
                .completeExceptionally(new TimeoutException("no answer within 100 ms")));
        assertThat(state).isNotDone();
        time.advance(Duration.ofMillis(150));
        nodes.forEach(node -> node.next(Script.QUORUM_DESCRIBE).answer(1L, node.micros(), Arrays.asList(null, -2L)));
        assertThat(state).isCompletedWithValue(List.of());
    }

    @Test
    void aMajorityThatStaysSilentIsNotAskedForEver() {
        nodes.forEach(node -> node.next(Script.SCAN).answer("0", List.of()));
        CompletableFuture<List<LockState>> state = backend.describe("a").toCompletableFuture();
        for (int i = 0; i < 4; i++) {
            nodes.forEach(node -> node.next(Script.QUORUM_DESCRIBE)
                    .answer()
                    .completeExceptionally(new TimeoutException("no answer within 100 ms")));
            time.advance(Duration.ofMillis(150));
        }
        assertThat(state).isCompletedExceptionally();
        assertThat(nodes)
                .allSatisfy(node -> assertThat(
                                node.requests.stream().filter(request -> request.script() == Script.QUORUM_DESCRIBE))
                        .isEmpty());
    }

    @Test
    void scanningStopsWhenTheCallerHasGone() {
        // Each node used to be scanned to the end.
        List<FakeNode.Request> pages =
                nodes.stream().map(node -> node.next(Script.SCAN)).toList();
        listing.cancel(false);
        pages.forEach(page -> page.answer("17", List.of()));
        assertThat(nodes).allSatisfy(node -> assertThat(node.requests).isEmpty());
    }

    @Test
    void theRestIsNotScannedOnceAMajorityIsThere() {
        // The last node used to be scanned to the end for nobody.
        FakeNode.Request slow = nodes.get(2).next(Script.SCAN);
        nodes.get(0).next(Script.SCAN).answer("0", List.of());
        nodes.get(1).next(Script.SCAN).answer("0", List.of());
        assertThat(listing).isCompletedWithValue(List.of());
        slow.answer("17", List.of());
        assertThat(nodes.get(2).requests).isEmpty();
    }

    @Test
    void describingStopsToo() {
        List<String> many = IntStream.range(100, 250)
                .mapToObj(i -> KEYS.ofQuorum().lock("a-" + i))
                .toList();
        nodes.forEach(node -> node.next(Script.SCAN).answer("0", many));
        List<FakeNode.Request> first =
                nodes.stream().map(node -> node.next(Script.QUORUM_DESCRIBE)).toList();
        listing.cancel(false);
        for (int i = 0; i < nodes.size(); i++) {
            List<Object> reply = new ArrayList<>(List.of(1L, nodes.get(i).micros()));
            IntStream.range(0, 100).forEach(any -> reply.add(List.of("", 0L)));
            first.get(i).answer().complete(reply);
        }
        assertThat(nodes).allSatisfy(node -> assertThat(node.requests).isEmpty());
    }

    @Test
    void aFailureOfAMajorityIsTheAnswer() {
        nodes.forEach(node -> node.next(Script.SCAN).answer().completeExceptionally(new IllegalStateException("gone")));
        assertThat(listing).isCompletedExceptionally();
    }
}
