package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LockStateTest {
    private static final Owner OWNER = new Owner(1234567890123456789L, 987654321098765432L);

    @Test
    void nothingThatIsPrintedShowsTheOwner() {
        // The owner was a component of a record: toString, logs and JSON showed what a release at the store compares.
        LockState state = state(77, 16);
        assertThat(state.toString() + state.tenure())
                .contains("report", "62-77")
                .doesNotContain(OWNER.toString())
                .doesNotContain(Long.toString(OWNER.high()))
                .doesNotContain(Long.toString(OWNER.low()));
        assertThat(state.tenure()).isEqualTo(TenureHandle.of(OWNER)).isNotEqualTo(TenureHandle.of(new Owner(1, 2)));
    }

    @Test
    void aLeasesOwnTokenIsFoundInTheRangeOfItsTenure() {
        TokenRange tokens = state(77, 16).tokens();
        assertThat(tokens.contains(new FencingToken(62))).isTrue();
        assertThat(tokens.contains(new FencingToken(77))).isTrue();
        assertThat(tokens.contains(new FencingToken(61))).isFalse();
        assertThat(tokens.contains(new FencingToken(78))).isFalse();
        assertThat(state(5, 1).tokens()).hasToString("5");
        assertThatThrownBy(() -> new TokenRange(new FencingToken(2), new FencingToken(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatABackendForgotIsNamed() {
        assertThatThrownBy(() -> LockState.builder("report", OWNER).build()).hasMessage("holder");
        assertThatThrownBy(() -> Guarantees.builder().tokenSource("a counter").build())
                .hasMessage("exclusion");
        assertThatThrownBy(() -> Finding.note("Not a code", "what")).isInstanceOf(IllegalArgumentException.class);
    }

    private static LockState state(long last, int tokens) {
        return LockState.builder("report", OWNER)
                .holder(new Holder("host", 7, "job"))
                .tokens(last, tokens)
                .since(Instant.EPOCH)
                .remaining(Duration.ofSeconds(30))
                .build();
    }
}
