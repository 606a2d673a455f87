package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private static final long SECOND = 1_000_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final ServerClock clock = new ServerClock();

    @Test
    void withoutASampleNothingIsKnown() {
        assertThat(clock.notAfterMicros("s", 0, TIMEOUT)).isZero();
        assertThat(clock.ageNanos("s", 0, 0, SECOND)).isNegative();
    }

    @Test
    void aSampleIsWorthNothingForAnotherServer() {
        clock.sample("s", 0, 0, 1_000_000);
        assertThat(clock.notAfterMicros("t", 0, TIMEOUT)).isZero();
        assertThat(clock.ageNanos("t", 1_000_000, 0, SECOND)).isNegative();
    }

    @Test
    void aSlowAnswerWidensBothBoundsToTheSafeSide() {
        // Sent at 0, answered at 100 ms; the server's clock showed one second somewhere in between.
        clock.sample("s", 0, SECOND / 10, 1_000_000);
        // At most 100 ms have passed since it showed that, perhaps none.
        assertThat(clock.ageNanos("s", 1_000_000, SECOND / 10, SECOND)).isBetween(SECOND / 10, SECOND / 9);
        assertThat(clock.notAfterMicros("s", SECOND / 10, TIMEOUT)).isEqualTo(3_000_000);
    }

    @Test
    void driftGrowsWithTheAgeOfTheSample() {
        clock.sample("s", 0, 0, 0);
        assertThat(clock.ageNanos("s", 0, 10 * SECOND, 60 * SECOND)).isBetween(10_100_000_000L, 10_100_002_000L);
        assertThat(clock.notAfterMicros("s", 10 * SECOND, TIMEOUT)).isEqualTo(9_900_000 + 2_000_000);
    }

    @Test
    void aSampleThatIsTooOldDoesNotTellAnAge() {
        clock.sample("s", 0, 0, 0);
        assertThat(clock.ageNanos("s", 0, SECOND, SECOND)).isPositive();
        assertThat(clock.ageNanos("s", 0, SECOND + 1, SECOND)).isNegative();
    }

    @Test
    void aPreciseSampleIsKeptUntilDriftHasMadeItWorseThanTheNewOne() {
        clock.sample("s", 0, 1_000_000, 0);
        // A second later, an answer that took half a second: the old sample knows more.
        clock.sample("s", SECOND, SECOND + SECOND / 2, 1_000_000);
        assertThat(clock.ageNanos("s", 1_500_000, SECOND + SECOND / 2, 60 * SECOND))
                .isLessThan(SECOND / 10);
        // A minute later one percent of a minute is more than half a second.
        clock.sample("s", 60 * SECOND, 60 * SECOND + SECOND / 2, 60_000_000);
        assertThat(clock.notAfterMicros("s", 60 * SECOND + SECOND / 2, TIMEOUT)).isEqualTo(62_000_000);
    }

    @Test
    void aClockThatWasSetVoidsWhatWasKnown() {
        clock.sample("s", 0, 1_000_000, 10_000_000);
        clock.sample("s", SECOND, SECOND + SECOND / 2, 5_000_000);
        assertThat(clock.notAfterMicros("s", SECOND + SECOND / 2, TIMEOUT)).isEqualTo(7_000_000);
        clock.sample("s", 2 * SECOND, 3 * SECOND, 99_000_000);
        assertThat(clock.notAfterMicros("s", 3 * SECOND, TIMEOUT)).isEqualTo(101_000_000);
    }

    @Test
    void aGrantFromTheFutureHasNoAge() {
        // The server's clock was set forward after our sample.
        clock.sample("s", 0, 0, 0);
        assertThat(clock.ageNanos("s", 5_000_000, SECOND, 60 * SECOND)).isNegative();
    }

    @Test
    void aStepIsWhatNeitherDriftNorTheWayExplains() {
        // Bounds from both sides: a slow answer is no step, a clock that shows another time is one.
        clock.sample("s", 0, SECOND / 100, 1_000_000);
        assertThat(clock.sample("s", SECOND, 2 * SECOND, 2_500_000)).isZero();
        assertThat(clock.sample("s", 3 * SECOND, 3 * SECOND, 9_000_000)).isBetween(4_900_000L, 5_100_000L);
        assertThat(clock.sample("s", 4 * SECOND, 4 * SECOND, 5_000_000)).isBetween(-5_100_000L, -4_900_000L);
        assertThat(clock.sample("t", 5 * SECOND, 5 * SECOND, 1)).isZero();
    }

    @Test
    void answersThatAreHeardInAnotherOrderAreNoStep() {
        // The thread that asked first is held up, and hears its answer after a later one. Its node used to lose its
        // vote
        // for the longest lease, as if its clock had been set back.
        long milli = SECOND / 1000;
        clock.sample("s", 100 * milli, 101 * milli, 1_100_500);
        assertThat(clock.sample("s", 50 * milli, 200 * milli, 1_050_500)).isZero();
        assertThat(clock.sample("s", 210 * milli, 211 * milli, 1_210_500)).isZero();
        assertThat(clock.sample("s", 150 * milli, 220 * milli, 1_050_500)).isBetween(-110_000L, -90_000L);
    }
}
