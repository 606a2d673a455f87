package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
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
    private final ClockWatch watch = new ClockWatch(new Members(all, FakeNode.LIST, time), time, reports, MAX_LEASE);

    private List<Member> fiveNodes() {
        List<Member> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(new Member(
                    i, FakeNode.LIST, new FakeNode(), time, Duration.ofMillis(100), node -> {}, (node, step) -> {}));
        }
        return nodes;
    }

    @Test
    void aNodeWhoseClockStepsSitsOutForTheLongestLease() {
        // Forward by a second: leases there have ended a second early.
        watch.stepped(all.get(2), 1000 * MILLI);
        assertThat(all.get(2).whyNotAsked()).contains("stepped by 1000 ms");
        assertThat(all.get(2).isHealthy()).isFalse();
        assertThat(reports.disturbances).singleElement().asString().contains("for 60000 ms");
        time.advance(MAX_LEASE);
        assertThat(all.get(2).isHealthy()).isTrue();
    }

    @Test
    void aNodeThatStepsAgainSitsOutFromThen() {
        // The end of the first time must not end the second.
        watch.stepped(all.get(2), 1000 * MILLI);
        time.advance(MAX_LEASE.dividedBy(2));
        watch.stepped(all.get(2), -990 * MILLI);
        time.advance(MAX_LEASE.dividedBy(2));
        assertThat(all.get(2).isHealthy()).isFalse();
        time.advance(MAX_LEASE.dividedBy(2));
        assertThat(all.get(2).isHealthy()).isTrue();
    }

    @Test
    void ordinaryDriftIsNoStep() {
        watch.stepped(all.get(0), 9 * MILLI);
        assertThat(all.get(0).isHealthy()).isTrue();
        assertThat(reports.disturbances).isEmpty();
    }

    @Test
    void ifAMajorityStepsItIsOurOwnClock() {
        // This machine was suspended, and its monotonic clock with it.
        for (int i = 0; i < 3; i++) {
            watch.stepped(all.get(i), 5000 * MILLI);
        }
        assertThat(all).allMatch(Member::isHealthy);
        assertThat(reports.disturbances).last().asString().contains("all alike").contains("this machine");
    }

    @Test
    void ifAMajorityStepsByDifferentAmountsItIsNotBlamedOnUs() {
        // It was called "alike" without being compared, and this machine was suspected.
        watch.stepped(all.get(0), 5000 * MILLI);
        watch.stepped(all.get(1), -300 * MILLI);
        watch.stepped(all.get(2), 40 * MILLI);
        assertThat(all).allMatch(Member::isHealthy);
        assertThat(reports.disturbances)
                .last()
                .asString()
                .contains("not alike")
                .contains("by 5000 ms")
                .contains("by -300 ms")
                .contains("by 40 ms");
    }

    @Test
    void clocksThatStepWithEveryAnswerAreToldOfOnceAMinute() {
        // A listener heard of it 4274 times in a minute.
        for (int i = 0; i < 3000; i++) {
            watch.stepped(all.get(i % 4), 20L * (i % 7 + 1) * MILLI);
            time.advance(Duration.ofMillis(20));
        }
        // One that steps alone, and the majority: each once.
        assertThat(reports.disturbances.size()).isLessThanOrEqualTo(3);
        time.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 3; i++) {
            watch.stepped(all.get(i), 5000 * MILLI);
        }
        assertThat(reports.disturbances).last().asString().contains("times more since this was last said");
    }
}
