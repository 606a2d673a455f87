package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.testing.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release and the next claim in one script, carried out too late for the claim. Virtual time, the test is the server. */
@Timeout(120)
class LateReclaimTest {
    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final Holdfast holdfast = Holdfast.builder(
                    RedisBackend.overNode(node, Keys.standard(), Duration.ofSeconds(2), Duration.ofSeconds(2)))
            .environment(time)
            .cohort(1)
            .closeGrace(Duration.ZERO)
            .build();

    @Test
    void theReleaseIsConfirmedThoughTheClaimThatIsSentAgainFails() {
        // The answer says that the tenure has ended and that the claim came too late. The claim goes out again by
        // itself,
        // and when that failed the release was told as unconfirmed.
        CompletableFuture<Lease> first = holdfast.lock("a").acquireAsync();
        node.next(Script.ACQUIRE).answer(1L, node.micros(), 16L, 1L, 0L);
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        CompletableFuture<Void> released = first.join().releaseAsync();
        node.next(Script.RECLAIM).answer(-1L, node.micros(), 0L);
        node.next(Script.ACQUIRE).answer().completeExceptionally(new IOException("connection reset"));
        assertThat(released).isCompletedWithValue(null);
        assertThat(second).isNotDone();
    }
}
