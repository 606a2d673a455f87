package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
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
        Claim claim = new Claim("n", OWNER, Duration.ofSeconds(5), 3, true, new Holder("h", 9, "d"));
        String entry = Wire.entry(claim, "holdfast:1:inbox:x", true);
        assertThat(entry).isEqualTo(OWNER + " holdfast:1:inbox:x 5000 3 1 9 h d");
        LockState state = Wire.parseState("n", OWNER + " 77 3 1000000 5000 9 h d", 1234, List.of(entry, "?"))
                .orElseThrow();
        assertThat(state.owner()).isEqualTo(OWNER);
        assertThat(state.token().value()).isEqualTo(77);
        assertThat(state.since().getEpochSecond()).isEqualTo(1);
        assertThat(state.remaining()).isEqualTo(Duration.ofMillis(1234));
        assertThat(state.waiters()).containsExactly(claim.holder());
        for (String foreign :
                new String[] {"", "x", "a b c d e f g", OWNER + " x 3 1 5 9 h d", OWNER + " 1 3 1 5 x h"}) {
            assertThat(Wire.parseState("n", foreign, 1, List.of())).isEmpty();
        }
    }

    @Test
    void aPushIsReadAndAnythingElseIsNot() {
        Wire.Push push = Wire.Push.parse(OWNER + " 77 3 1000 2000 run a name with spaces");
        assertThat(push).isEqualTo(new Wire.Push(OWNER, 77, 3, 1000, 2000, "run", "a name with spaces"));
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
