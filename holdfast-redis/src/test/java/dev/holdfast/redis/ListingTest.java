package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockState;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whoever has gone is not worked for. */
class ListingTest {
    private final FakeNode node = new FakeNode();
    private final RedisBackend backend =
            RedisBackend.overNode(node, Keys.standard(), Duration.ofSeconds(2), Duration.ofSeconds(2));

    private CompletableFuture<List<LockState>> list() {
        backend.open(new ManualTime(), new Reports());
        return backend.list("", 10).toCompletableFuture();
    }

    @Test
    void scanningStopsWhenTheCallerHasGone() {
        // It used to go on to the end, page by page, however large the server.
        CompletableFuture<List<LockState>> listing = list();
        node.next(Script.SCAN).answer("17", List.of());
        FakeNode.Request second = node.next(Script.SCAN);
        listing.cancel(false);
        second.answer("18", List.of());
        assertThat(node.requests).isEmpty();
    }

    @Test
    void describingStopsToo() {
        CompletableFuture<List<LockState>> listing = list();
        List<String> many = IntStream.range(100, 250)
                .mapToObj(i -> Keys.standard().lock("a-" + i))
                .toList();
        node.next(Script.SCAN).answer("0", many);
        assertThat(node.requests).hasSize(1);
        FakeNode.Request described = node.next(Script.DESCRIBE);
        listing.cancel(false);
        described.answer(Collections.nCopies(100, List.of(0L, 0L, List.of())).toArray());
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aFailureOfAPageIsTheAnswer() {
        CompletableFuture<List<LockState>> listing = list();
        node.next(Script.SCAN).answer().completeExceptionally(new IllegalStateException("gone"));
        assertThat(listing).isCompletedExceptionally();
    }
}
