package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DisputesTest {
    private final ManualTime time = new ManualTime();
    private final Disputes disputes = new Disputes(time);

    private Owner owner() {
        return Owner.random(time.random());
    }

    @Test
    void countsWhatComesInARow() {
        Owner owner = owner();
        assertThat(disputes.met(owner)).isEqualTo(1);
        assertThat(disputes.met(owner)).isEqualTo(2);
        disputes.over(owner);
        assertThat(disputes.met(owner)).isEqualTo(1);
    }

    @Test
    void claimsThatNobodyComesBackWithAreDropped() {
        // A caller that went without a place in line left its entry for ever.
        for (int i = 0; i < 10 * Disputes.MANY; i++) {
            disputes.met(owner());
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(disputes.size()).isLessThanOrEqualTo(Disputes.MANY);
    }

    @Test
    void oneThatComesBackKeepsItsCount() {
        Owner patient = owner();
        for (int i = 1; i <= 3 * Disputes.MANY; i++) {
            disputes.met(owner());
            time.advance(Duration.ofSeconds(1));
            assertThat(disputes.met(patient)).isEqualTo(i);
        }
    }
}
