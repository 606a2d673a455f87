package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of a server that does not vote yet. Virtual time, the test is the three servers. */
class AdmissionsTest {
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration MAX_LEASE = Duration.ofSeconds(60);
    private static final ServerList LIST = ServerList.of(List.of("a:1", "b:2", "c:3"));
    private static final String FULL = "the server is out of memory";

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private final FakeNode empty = nodes.get(2);
    private final Reports reports = new Reports();
    /** What stands in the way at the empty server; null if nothing does. */
    private @Nullable String trouble;

    private long observedMillis;

    @BeforeEach
    void open() {
        RedlockBackend.overNodes(nodes, LIST, Keys.standard(), STEP, Duration.ofSeconds(2), MAX_LEASE)
                .open(time, reports);
    }

    private void letPass(Duration duration) {
        for (long millis = 0; millis < duration.toMillis(); millis += STEP.toMillis()) {
            time.advance(STEP);
            nodes.forEach(this::answer);
        }
    }

    private void answer(FakeNode node) {
        for (FakeNode.Request asked = node.requests.poll(); asked != null; asked = node.requests.poll()) {
            if (node != empty) {
                String record =
                        AdmissionRecord.admitted(LIST, node.identity) + MAX_LEASE.toMillis() + " 1 " + LIST.text();
                asked.answer(1L, node.micros(), MAX_LEASE.toMillis(), record);
            } else if (asked.script() == Script.QUORUM_OBSERVE) {
                observe(asked);
            } else {
                asked.answer((long) QuorumReplies.UNADMITTED, node.micros(), "");
            }
        }
    }

    private void observe(FakeNode.Request asked) {
        if (trouble != null) {
            asked.answer().completeExceptionally(new NotSentException(trouble, null));
        } else {
            observedMillis += 1;
            asked.answer(
                    (long) QuorumReplies.UNADMITTED, empty.micros(), "nonce", observedMillis, MAX_LEASE.toMillis());
        }
    }

    @Test
    void anObstacleThatIsGoneIsNotToldAgain() {
        // Whatever had once stood in the way was repeated until the server voted, long after it was put right.
        trouble = FULL;
        letPass(Duration.ofSeconds(25));
        assertThat(reports.disturbances).anyMatch(each -> each.contains("it does not vote yet") && each.contains(FULL));
        trouble = null;
        letPass(Duration.ofSeconds(2));
        reports.disturbances.clear();
        letPass(Duration.ofSeconds(50));
        assertThat(reports.disturbances)
                .anyMatch(each -> each.contains("it does not vote yet") && each.contains("it is being watched"))
                .noneMatch(each -> each.contains(FULL));
    }
}
