package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ValidityTest {
    @Test
    void countsFromBeforeTheSendAndTakesTheDriftOff() {
        // 30 s - 1 % - 2 ms, from the moment before the request was sent.
        long until = Validity.until(1_000, Duration.ofSeconds(30));
        assertThat(until).isEqualTo(1_000 + Duration.ofMillis(30_000 - 300 - 2).toNanos());
        assertThat(Validity.driftNanos(Duration.ofSeconds(10))).isEqualTo(102_000_000);
    }
}
