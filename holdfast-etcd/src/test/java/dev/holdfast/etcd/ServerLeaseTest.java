package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerLeaseTest {
    @Test
    void aServersLeaseCoversTheLeaseBetweenTwoBeatsAndIsRoundedUp() {
        for (long millis : new long[] {1, 300, 500, 999, 1000, 1001, 3000, 10_000, 30_000, 60_000, 86_400_000}) {
            Duration lease = Duration.ofMillis(millis);
            long seconds = ServerLease.secondsFor(lease);
            ServerLease kept = new ServerLease(1, seconds, Keys.bytes("guard"), 1, 0, 0);
            assertThat(Duration.ofSeconds(seconds))
                    .isGreaterThanOrEqualTo(lease.plus(kept.beat()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(2))
                    .isLessThanOrEqualTo(lease.plusSeconds(3));
        }
    }

    @Test
    void whatIsProvenNeverGoesBack() {
        ServerLease lease = new ServerLease(1, 10, Keys.bytes("guard"), 1, 100, 0);
        lease.prove(300);
        lease.prove(200);
        assertThat(lease.provenUntilNanos()).isEqualTo(300);
    }

    @Test
    void versionsThatEndLeasesOfASuccessorAreKnown() {
        for (String version : new String[] {"3.3.27", "3.4.23", "3.4.30", "3.5.0", "3.5.12"}) {
            assertThat(Diagnosis.revokesTooEarly(version)).as(version).isTrue();
        }
        for (String version : new String[] {"3.4.31", "3.5.13", "3.5.30", "3.6.0-rc.1", "4.0.0", "unknown"}) {
            assertThat(Diagnosis.revokesTooEarly(version)).as(version).isFalse();
        }
    }
}
