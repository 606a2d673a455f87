package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.sql.ServerClock;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private final ServerClock clock = new ServerClock(5_000_000);

    @Test
    void withoutASampleTheFirstRequestIsRefusedAndBringsOne() {
        // Any time of a server is later than 1970.
        assertThat(clock.notAfterMicros(123)).isZero();
    }

    @Test
    void theServersTimeIsCarriedOnByOurMonotonicClock() {
        // Sampled at 1 s of ours and 1 000 s of theirs; two seconds later theirs is 1 002 s, plus the command timeout.
        clock.sample(1_000_000_000L, 1_000_000_000L);
        assertThat(clock.notAfterMicros(3_000_000_000L)).isEqualTo(1_000_000_000L + 2_000_000 + 5_000_000);
    }

    @Test
    void theNewestSampleCounts() {
        // The server's clock was set back by an hour: the next answer says so.
        clock.sample(0, 7_200_000_000L);
        clock.sample(1_000, 3_600_000_000L);
        assertThat(clock.notAfterMicros(1_000)).isEqualTo(3_605_000_000L);
    }
}
