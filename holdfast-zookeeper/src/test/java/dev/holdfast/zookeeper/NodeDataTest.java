package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeDataTest {
    private static final Duration SESSION = Duration.ofSeconds(20);
    private static final Instant OTHERWISE = Instant.ofEpochMilli(7);

    private static Claim claim() {
        return claim("report");
    }

    private static Claim claim(String key) {
        return Claim.of(
                key,
                Owner.random(ThreadLocalRandom.current()),
                Duration.ofSeconds(30),
                3,
                new Holder("host", 42, "two\nlines"));
    }

    private static String text(Claim claim) {
        return new String(NodeData.of(claim, 3, SESSION), StandardCharsets.UTF_8);
    }

    @Test
    void theFormatNeverChangesWithinAVersion() {
        // Other processes read it, of other releases too.
        assertThat(text(claim().queuedSince(1_700_000_000_123_456L)))
                .isEqualTo("2\n3\n30000\n20000\nx\nsince=1700000000123\n42\nhost\ntwo\nlines");
        assertThat(text(claim())).isEqualTo("2\n3\n30000\n20000\nx\n-\n42\nhost\ntwo\nlines");
        assertThat(text(claim(LockKey.semaphore("report").encoded()).forAnyOf(8)))
                .isEqualTo("2\n3\n30000\n20000\ns\n-\n42\nhost\ntwo\nlines");
        Claim writer = claim(LockKey.readWriteLock("report").encoded());
        assertThat(text(writer)).isEqualTo("2\n3\n30000\n20000\nw\n-\n42\nhost\ntwo\nlines");
        assertThat(text(writer.forReading())).isEqualTo("2\n3\n30000\n20000\nr\n-\n42\nhost\ntwo\nlines");
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        NodeData read = NodeData.parse(text(claim().queuedSince(1_700_000_000_123_456L)));
        assertThat(read)
                .isEqualTo(new NodeData(
                        3,
                        Duration.ofSeconds(30),
                        SESSION,
                        NodeData.EXCLUSIVE,
                        "since=1700000000123",
                        new Holder("host", 42, "two\nlines")));
        assertThat(read.since(OTHERWISE)).isEqualTo(Instant.ofEpochMilli(1_700_000_000_123L));
        assertThat(NodeData.parse(text(claim())).since(OTHERWISE)).isEqualTo(OTHERWISE);
    }

    @Test
    void aKindAndNotesThatNobodyKnowsYetAreNoReasonToShowNothing() {
        // A later release of the same version may write them.
        NodeData read = NodeData.parse("2\n3\n30000\n20000\nshared\nslot=3,since=9,colour=red\n42\nhost\nreads");
        assertThat(read.holder()).isEqualTo(new Holder("host", 42, "reads"));
        assertThat(read.kind()).isEqualTo("shared");
        assertThat(read.since(OTHERWISE)).isEqualTo(Instant.ofEpochMilli(9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1\n3\n30000\n20000\n42\nhost\ntext", "3\nsomething else"})
    void dataOfAnotherVersionIsCalledThat(String text) {
        // Its lines mean something else: read by the rules of this version, a host would be a kind.
        String version = text.substring(0, 1);
        assertThat(NodeData.parse(text).holder().description()).contains("of version " + version);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "mine now", "2", "2\n3", "2\n99\n1\n1\nx\n-\n1\nh\n", "2\n3\nsoon\n1\nx\n-\n1\nh\n", "x\ny"})
    void whateverElseStandsThereCannotBeRead(String text) {
        NodeData read = NodeData.parse(text);
        assertThat(read.holder().description()).contains("cannot be read");
        assertThat(read.since(OTHERWISE)).isEqualTo(OTHERWISE);
    }
}
