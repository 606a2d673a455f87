package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.jdbc.sql.PollIntervals;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PollIntervalsTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long FAR = 30_000_000;

    private final PollIntervals pace = new PollIntervals(Duration.ofMillis(10), Duration.ofSeconds(1));

    @Test
    void theBusierTheLockTheQuickerItIsAskedFor() {
        // The lock changed hands just now, a second ago, a minute ago.
        assertThat(pace.next(0, FAR, LEASE, 0)).isEqualTo(Duration.ofMillis(10));
        assertThat(pace.next(1_200_000, FAR, LEASE, 0)).isEqualTo(Duration.ofMillis(200));
        assertThat(pace.next(60_000_000, FAR, LEASE, 0)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void whoIsFarBehindAsksSeldomHoweverOftenTheLockChangesHands() {
        // Every waiter used to begin anew at 10 ms with each change of hands: two hundred of them left no time to the
        // one whose turn it was.
        assertThat(pace.next(0, FAR, LEASE, 1)).isEqualTo(Duration.ofMillis(30));
        assertThat(pace.next(0, FAR, LEASE, 20)).isEqualTo(Duration.ofMillis(410));
        assertThat(pace.next(0, FAR, LEASE, 200)).isEqualTo(Duration.ofSeconds(1));
        assertThat(pace.next(0, 0, LEASE, 20)).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aWaiterAsksWhenTheLockExpires() {
        // Held for long, but a holder that died leaves it in 300 ms.
        assertThat(pace.next(60_000_000, 300_000, LEASE, 0)).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void aClaimWindowNeverPassesBetweenTwoQuestions() {
        // A lease of 200 ms has a claim window of 200 ms: asked once a second, each turn would be missed.
        assertThat(pace.next(60_000_000, FAR, Duration.ofMillis(200), 0)).isEqualTo(Duration.ofMillis(100));
        PollIntervals lazy = new PollIntervals(Duration.ofMillis(10), Duration.ofMinutes(1));
        assertThat(lazy.next(600_000_000, FAR, LEASE, 0)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void anIntervalIsNeverZero() {
        // The lock expires this very moment.
        assertThat(pace.next(5, 0, LEASE, 0)).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void boundsInTheWrongOrderAreRefused() {
        // The shortest must not be above the longest.
        assertThatThrownBy(() -> new PollIntervals(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PollIntervals(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
