package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long FAR = 30_000_000;

    private final Pace pace = new Pace(Duration.ofMillis(10), Duration.ofSeconds(1));

    @Test
    void theBusierTheLockTheQuickerItIsAskedFor() {
        // The lock changed hands just now, a second ago, a minute ago.
        assertThat(pace.next(0, FAR, LEASE)).isEqualTo(Duration.ofMillis(10));
        assertThat(pace.next(1_200_000, FAR, LEASE)).isEqualTo(Duration.ofMillis(200));
        assertThat(pace.next(60_000_000, FAR, LEASE)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aWaiterAsksWhenTheLockExpires() {
        // Held for long, but a holder that died leaves it in 300 ms.
        assertThat(pace.next(60_000_000, 300_000, LEASE)).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void aClaimWindowNeverPassesBetweenTwoQuestions() {
        // A lease of 200 ms has a claim window of 200 ms: asked once a second, each turn would be missed.
        assertThat(pace.next(60_000_000, FAR, Duration.ofMillis(200))).isEqualTo(Duration.ofMillis(100));
        Pace lazy = new Pace(Duration.ofMillis(10), Duration.ofMinutes(1));
        assertThat(lazy.next(600_000_000, FAR, LEASE)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void anIntervalIsNeverZero() {
        // The lock expires this very moment.
        assertThat(pace.next(5, 0, LEASE)).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void boundsInTheWrongOrderAreRefused() {
        // The shortest must not be above the longest.
        assertThatThrownBy(() -> new Pace(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pace(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
