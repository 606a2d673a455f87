package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueuedClaimTest {
    /** With dashes in it, as owners may have them. */
    private static final Owner OWNER = Owner.parse("--A-B" + "A".repeat(11) + "r-s8-A");

    private static Claim claim(String key) {
        return Claim.of(key, OWNER, Duration.ofSeconds(1), 1, new Holder("host", 1, ""));
    }

    @Test
    void whatAClaimAsksForIsInTheNameOfItsNode() {
        // Other processes read it, of other releases too.
        Claim semaphore = claim(LockKey.semaphore("report").encoded()).forAnyOf(8);
        Claim writer = claim(LockKey.readWriteLock("report").encoded());
        assertThat(QueuedClaim.prefix(claim("report"))).isEqualTo(OWNER + "-");
        assertThat(QueuedClaim.prefix(semaphore)).isEqualTo(OWNER + "-s8-");
        assertThat(QueuedClaim.prefix(writer)).isEqualTo(OWNER + "-w-");
        assertThat(QueuedClaim.prefix(writer.forReading())).isEqualTo(OWNER + "-r-");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000000012", "-2147483648"})
    void whatIsWrittenIsReadAgain(String number) {
        int sequence = Integer.parseInt(number);
        for (String mark : List.of("", "w", "r", "s8", "s1000", "later")) {
            String child = OWNER + "-" + (mark.isEmpty() ? "" : mark + "-") + number;
            assertThat(QueuedClaim.parse(child)).isEqualTo(new QueuedClaim(child, OWNER, mark, sequence));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "junk", "-", "-r", "-r-", "-r-x", "-s8-1-2"})
    void whateverElseStandsThereIsNoClaim(String end) {
        assertThatThrownBy(() -> QueuedClaim.parse(OWNER + end)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReaderWaitsForTheNearestWriterAndAWriterForWhoeverIsInFront() {
        List<Integer> waitsFor = new ArrayList<>();
        List<QueuedClaim> queue = queue("r", "r", "w", "r", "r", "w", "w", "r", "later", "r");
        for (int i = 0; i < queue.size(); i++) {
            waitsFor.add(new Nodes.View(queue, i).waitsFor());
        }
        // What this version does not know is waited for, and waits for everybody.
        assertThat(waitsFor).containsExactly(-1, -1, 1, 2, 2, 4, 5, 6, 7, 8);
        assertThat(new Nodes.View(queue, 1).isTurn()).isTrue();
        assertThat(new Nodes.View(queue, 2).isTurn()).isFalse();
        assertThat(new Nodes.View(queue("w", "r"), 0).isTurn()).isTrue();
        assertThat(new Nodes.View(queue, -1).isTurn()).isFalse();
    }

    private static List<QueuedClaim> queue(String... marks) {
        List<QueuedClaim> queue = new ArrayList<>();
        for (String mark : marks) {
            queue.add(QueuedClaim.parse(OWNER + "-" + mark + "-%010d".formatted(queue.size())));
        }
        return queue;
    }
}
