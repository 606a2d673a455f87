package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How three servers are, of which one is slow. Virtual time, the test is the servers. */
class QuorumDiagnosisTest {
    private static final Duration A_WHILE = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private final FakeNode slow = nodes.get(2);
    private CompletableFuture<List<Finding>> diagnosis;

    @BeforeEach
    void diagnose() {
        RedlockBackend backend = RedlockBackend.overNodes(
                nodes,
                ServerList.of(List.of("a:1", "b:2", "c:3")),
                Keys.standard(),
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60));
        backend.open(time, new Reports());
        nodes.forEach(node -> node.next(Script.QUORUM_MAXLEASE).answer(1L, node.micros(), 60_000L));
        diagnosis = backend.diagnose().toCompletableFuture();
        nodes.forEach(node -> node.next(Script.SCAN).answer("0", List.of()));
        votes(nodes.get(0));
        votes(nodes.get(1));
    }

    private static void votes(FakeNode node) {
        node.next(Script.QUORUM_LOOK).answer(1L, node.micros(), 60_000L, "");
    }

    private void isTooSlow() {
        slow.next(Script.QUORUM_LOOK).answer().completeExceptionally(new TimeoutException("no answer within 100 ms"));
        time.advance(A_WHILE);
    }

    private Severity severity() {
        return diagnosis.join().stream()
                .filter(finding -> finding.code().equals("quorum.voting"))
                .findFirst()
                .orElseThrow()
                .severity();
    }

    @Test
    void aServerThatIsSlowOnceVotesAllTheSame() {
        // A process that has just started on a busy machine called healthy servers dead.
        isTooSlow();
        assertThat(diagnosis).isNotDone();
        votes(slow);
        assertThat(severity()).isEqualTo(Severity.NOTE);
    }

    @Test
    void aServerThatStaysSilentIsReported() {
        for (int i = 0; i < 8; i++) {
            isTooSlow();
        }
        assertThat(severity()).isEqualTo(Severity.WARNING);
        assertThat(slow.requests).isEmpty();
    }

    @Test
    void nobodyIsAskedAgainForACallerThatHasGone() {
        diagnosis.cancel(false);
        isTooSlow();
        assertThat(slow.requests).isEmpty();
    }
}
