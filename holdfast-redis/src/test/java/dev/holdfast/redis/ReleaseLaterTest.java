package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who waits for a lock that is kept was told of another end. Virtual time, the test is the server. */
class ReleaseLaterTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final RedisBackend backend =
            RedisBackend.overNode(node, Keys.standard(), Duration.ofSeconds(2), Duration.ofSeconds(2));
    private final Holding holding = new Holding("a", new Owner(1, 2), 77, LEASE);

    @BeforeEach
    void open() {
        backend.open(time, new Reports());
    }

    private CompletableFuture<Boolean> later(Duration keep, Object... answer) {
        CompletableFuture<Boolean> said = backend.releaseLater(holding, keep).toCompletableFuture();
        FakeNode.Request request = node.next(Script.RELEASE_LATER);
        assertThat(request.arguments().get(0)).isEqualTo(holding.owner() + " 77 ");
        request.answer(answer);
        return said;
    }

    @Test
    void theQueueIsServedWhenTheTimeIsOver() {
        assertThat(later(Duration.ofSeconds(5), 1L, 3L)).isCompletedWithValue(true);
        time.advance(Duration.ofSeconds(5));
        assertThat(node.requests).isEmpty();
        time.advance(Duration.ofMillis(100));
        node.next(Script.HANDOVER);
    }

    @Test
    void whereNobodyWaitsNobodyLooks() {
        // Who comes later is told the right time.
        assertThat(later(Duration.ofSeconds(5), 1L, 0L)).isCompletedWithValue(true);
        assertThat(later(Duration.ofSeconds(5), 0L)).isCompletedWithValue(false);
        time.advance(Duration.ofMinutes(1));
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aPartOfAMillisecondIsAWholeOne() {
        var unused = backend.releaseLater(holding, Duration.ofNanos(4_000_001));
        assertThat(node.next(Script.RELEASE_LATER).arguments().get(1)).isEqualTo("5");
    }
}
