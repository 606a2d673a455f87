package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireTest {
    private static final Owner OWNER = new Owner(1, 2);

    @Test
    void aHolderIsReadBackWhateverItsHostIsCalled() {
        assertThat(Wire.parseHolder(Wire.holder(new Holder("web-1", 42, "nightly run, part 2"))))
                .isEqualTo(new Holder("web-1", 42, "nightly run, part 2"));
        assertThat(Wire.parseHolder(Wire.holder(new Holder("two words", 42, ""))))
                .isEqualTo(new Holder("two_words", 42, ""));
        assertThat(Wire.parseHolder(Wire.holder(new Holder("", 42, "")))).isEqualTo(new Holder("-", 42, ""));
    }

    @Test
    void aLockValueIsReadAndAForeignOneIsNot() {
        Claim claim = Claim.of("n", OWNER, Duration.ofSeconds(5), 3, new Holder("h", 9, "d"))
                .queuedSince(1_700_000_000_123_456L);
        String entry = Wire.entry(claim, "holdfast:2:inbox:x", true, Wire.holder(claim.holder()));
        assertThat(entry).isEqualTo(OWNER + " holdfast:2:inbox:x 5000 3 1 x since=1700000000123 9 h d");
        LockState state = Wire.parseState(
                        new Keys.Held("n", 0), OWNER + " 77 3 1000000 5000 x - 9 h d", 1234, List.of(entry, "?"))
                .orElseThrow();
        assertThat(state.tenure()).isEqualTo(TenureHandle.of(OWNER));
        assertThat(state.tokens().last().value()).isEqualTo(77);
        assertThat(state.since().getEpochSecond()).isEqualTo(1);
        assertThat(state.remaining()).isEqualTo(Duration.ofMillis(1234));
        assertThat(state.waiters())
                .containsExactly(Waiting.of(claim.holder(), Instant.ofEpochMilli(1_700_000_000_123L)));
        for (String foreign : new String[] {
            "",
            "x",
            "a b c d e f g h i",
            OWNER + " x 3 1 5 x - 9 h d",
            OWNER + " 1 3 1 5 x - x h",
            OWNER + " 1 3 1 5 9 h d",
            OWNER + " 1 3 1 5 x"
        }) {
            assertThat(Wire.parseState(new Keys.Held("n", 0), foreign, 1, List.of()))
                    .isEmpty();
        }
    }

    @Test
    void aPushIsReadAndAnythingElseIsNot() {
        Wire.Push push = Wire.Push.parse(OWNER + " 77 3 1000 2000 run a name with spaces");
        assertThat(push).isEqualTo(new Wire.Push(OWNER, 77, 3, 1000, 2000, "run", "a name with spaces", 0));
        assertThat(Wire.Push.parse("slot 5 " + OWNER + " 77 3 1000 2000 run a b"))
                .isEqualTo(new Wire.Push(
                        OWNER,
                        77,
                        3,
                        1000,
                        2000,
                        "run",
                        LockKey.semaphore("a b").encoded(),
                        5));
        assertThat(Wire.Push.parse("rw " + OWNER + " 77 3 1000 2000 run a b"))
                .isEqualTo(new Wire.Push(
                        OWNER,
                        77,
                        3,
                        1000,
                        2000,
                        "run",
                        LockKey.readWriteLock("a b").encoded(),
                        0));
        assertThat(Wire.Push.parse("slot x " + OWNER + " 77 3 1000 2000 run a b"))
                .isNull();
        assertThat(Wire.Push.parse("slot -1 " + OWNER + " 77 3 1000 2000 run a b"))
                .isNull();
        assertThat(Wire.Push.parse("slot 5")).isNull();
        assertThat(Wire.Push.parse(OWNER + " 77 3 1000 2000  n").runId()).isEmpty();
        assertThat(Wire.Push.parse("hello")).isNull();
        assertThat(Wire.Push.parse("x 77 3 1000 2000 run n")).isNull();
        assertThat(Wire.Push.parse(OWNER + " x 3 1000 2000 run n")).isNull();
    }

    @Test
    void aTextByItselfStandsForItsNumbers() {
        assertThat(Wire.numbers(List.of("1 1763000996636327 17"))).isEqualTo(List.of(1L, 1763000996636327L, 17L));
        assertThat(Wire.numbers(List.of(1L))).isEqualTo(List.of(1L));
        assertThat(Wire.numbers(List.of(0L, "a text"))).isEqualTo(List.of(0L, "a text"));
    }
}
