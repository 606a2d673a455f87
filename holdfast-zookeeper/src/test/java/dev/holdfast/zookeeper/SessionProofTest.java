package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SessionProofTest {
    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final Timing TIMING = new Timing(Duration.ofSeconds(2), 5);
    private static final long START = 1_000_000_000_000L;

    private final SessionProof proof = new SessionProof(TIMING, SESSION, START);

    @Test
    void nothingIsProvenAtFirst() {
        assertThat(proof.validUntilNanos()).isEqualTo(START);
    }

    @Test
    void aNewConnectionProvesASessionLessTheMargin() {
        // The leader was asked after the given moment. It may have been a leader that did not know yet that it was
        // none.
        proof.connected(at(1));
        requireUntil(1 + 30 - 11);
    }

    @Test
    void aWriteCountsOnlyAsFarAsAnOlderSignHadTimeToReachTheLeader() {
        // Beats at 3 and 20, a write at 25. The one at 20 may be known to a follower only; the one at 3 is known.
        proof.connected(at(0));
        heard(3, false);
        heard(20, false);
        heard(25, true);
        requireUntil(3 + 30);
    }

    @Test
    void withDenseBeatsTheMarginBeforeTheWriteDecides() {
        // A beat each second: the newest sign older than the margin is just older than the margin.
        proof.connected(at(0));
        for (int second = 1; second <= 40; second++) {
            heard(second, second == 40);
        }
        requireUntil(40 - 11 + 30);
    }

    @Test
    void readsAloneProveNothing() {
        // A follower that was paused and has lost its leader answers them all the same.
        proof.connected(at(0));
        for (int second = 1; second <= 40; second++) {
            heard(second, false);
        }
        requireUntil(30 - 11);
    }

    @Test
    void signsOfAnEarlierConnectionDoNotCount() {
        // Dense beats to a server that may have been cut off; then another server takes the session over.
        proof.connected(at(0));
        for (int second = 1; second <= 20; second++) {
            heard(second, false);
        }
        proof.connected(at(21));
        heard(22, true);
        requireUntil(22 + 30 - 11);
    }

    @Test
    void aConnectionOfUnknownAgeCountsFromTheNewestSignBeforeIt() {
        // A framework of the program does not tell when it turned to the new server.
        proof.connected(at(0));
        heard(5, true);
        proof.connected(proof.newestNanos());
        heard(14, true);
        requireUntil(14 + 30 - 11);
        heard(18, true);
        requireUntil(5 + 30);
    }

    @Test
    void withoutAnySignBeforeItAConnectionOfUnknownAgeProvesNothingForAMargin() {
        // The session of a framework that has been connected for long.
        assertThat(proof.newestNanos()).isNull();
        heard(1, true);
        heard(11, true);
        assertThat(proof.validUntilNanos()).isEqualTo(START);
        heard(13, true);
        requireUntil(1 + 30);
    }

    @Test
    void whatWasProvenStaysTrue() {
        proof.connected(at(10));
        proof.connected(at(2));
        requireUntil(10 + 30 - 11);
    }

    private void heard(int second, boolean written) {
        proof.heard(at(second), at(second), written);
    }

    private static long at(int second) {
        return START + second * 1_000_000_000L;
    }

    private void requireUntil(int second) {
        assertThat(proof.validUntilNanos()).isEqualTo(at(second) - Validity.driftNanos(SESSION));
    }
}
