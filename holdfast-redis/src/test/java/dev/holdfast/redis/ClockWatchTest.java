package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockWatchTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(60);
    private static final long MILLI = 1000;

    private final Reports reports = new Reports();
    private final ManualTime time = new ManualTime();
    private final List<Member> all = fiveNodes();
    private final ClockWatch watch = new ClockWatch(new Members(all, time), time, reports, MAX_LEASE);

    private List<Member> fiveNodes() {
        List<Member> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(new Member(i, 5, new FakeNode(), time, Duration.ofMillis(100), node -> {}, (node, step) -> {}));
        }
        return nodes;
    }

    @Test
    void aNodeWhoseClockStepsSitsOutForTheLongestLease() {
        // Forward by a second: leases there have ended a second early.
        watch.stepped(all.get(2), 1000 * MILLI);
        assertThat(all.get(2).sitsOut()).contains("stepped by 1000 ms");
        assertThat(all.get(2).isWell()).isFalse();
        assertThat(reports.disturbances).singleElement().asString().contains("for 60000 ms");
        time.advance(MAX_LEASE);
        assertThat(all.get(2).isWell()).isTrue();
    }

    @Test
    void aNodeThatStepsAgainSitsOutFromThen() {
        // The end of the first time must not end the second.
        watch.stepped(all.get(2), 1000 * MILLI);
        time.advance(MAX_LEASE.dividedBy(2));
        watch.stepped(all.get(2), -990 * MILLI);
        time.advance(MAX_LEASE.dividedBy(2));
        assertThat(all.get(2).isWell()).isFalse();
        time.advance(MAX_LEASE.dividedBy(2));
        assertThat(all.get(2).isWell()).isTrue();
    }

    @Test
    void ordinaryDriftIsNoStep() {
        watch.stepped(all.get(0), 9 * MILLI);
        assertThat(all.get(0).isWell()).isTrue();
        assertThat(reports.disturbances).isEmpty();
    }

    @Test
    void ifAMajorityStepsItIsOurOwnClock() {
        // This machine was suspended, and its monotonic clock with it.
        for (int i = 0; i < 3; i++) {
            watch.stepped(all.get(i), 5000 * MILLI);
        }
        assertThat(all).allMatch(Member::isWell);
        assertThat(reports.disturbances).last().asString().contains("suspect the clock of this machine");
    }
}
