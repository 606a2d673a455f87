package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client makes of one node's failures. */
class MemberTest {
    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final Member member =
            new Member(0, FakeNode.LIST, node, time, Duration.ofMillis(100), refused -> {}, (stepped, step) -> {});

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatSaysItDidNothingIsAskedAnewWhoItIs(boolean readOnly) {
        // It may have become a replica, and come back with the data of another server, over the same connection.
        look();
        node.next(Script.QUORUM_LOOK)
                .answer()
                .completeExceptionally(
                        readOnly ? new RefusedException("READONLY") : new NotSentException("LOADING", null));
        assertThat(node.identified).isEqualTo(1);
        assertThat(member.isHealthy()).isFalse();
    }

    @Test
    void aNodeThatDoesNotAnswerOnceIsStillWell() {
        look();
        node.next(Script.QUORUM_LOOK).answer().completeExceptionally(new IllegalStateException("no answer"));
        assertThat(node.identified).isZero();
        assertThat(member.isHealthy()).isTrue();
    }

    private void look() {
        var unused = member.call(Script.QUORUM_LOOK, new String[0], "");
    }
}
