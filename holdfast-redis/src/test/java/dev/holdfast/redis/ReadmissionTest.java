package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.Readmission.Decision;
import dev.holdfast.redis.Readmission.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadmissionTest {
    private static final long MAX = 1000;
    private static final long ENOUGH = Readmission.watchMillis(MAX);
    private static final long TIME = 5_000_000;
    private static final Set<Integer> ALL = Set.of(0, 1, 2, 3, 4);

    private static Report voting(int node, long counter) {
        return new Report(node, null, 0, MAX, TIME, counters(counter));
    }

    private static Report lost(int node, long observed, long counter) {
        return new Report(node, "n" + node, observed, MAX, TIME, counters(counter));
    }

    private static List<Long> counters(long value) {
        return Collections.nCopies(Keys.BUCKETS, value);
    }

    private static List<Report> reports(Report... reports) {
        return new ArrayList<>(List.of(reports));
    }

    @Test
    void theWatchIsLongerThanTheLongestLeaseByTheDriftOfTheClocks() {
        // One percent and two milliseconds.
        assertThat(ENOUGH).isGreaterThanOrEqualTo(1012);
    }

    @Test
    void aNodeIsSeededWithTheLargestCounterOfTheOthersThatVote() {
        // Three of the four others remember: whoever won with the help of the lost node had one of them.
        Decision decision = Readmission.decide(
                5, ALL, MAX, reports(lost(0, ENOUGH, 99), voting(1, 10), voting(2, 30), voting(3, 20)));
        assertThat(decision).isInstanceOfSatisfying(Decision.Admit.class, admit -> {
            assertThat(admit.nodes()).extracting(Report::node).containsExactly(0);
            assertThat(admit.seeds()).containsOnly(30L);
            assertThat(admit.byClocks()).isFalse();
        });
    }

    @Test
    void nobodyIsAdmittedBeforeTheWatchIsOver() {
        // A lease that the node has granted and forgotten may still be valid.
        assertThat(Readmission.decide(
                        5, ALL, MAX, reports(lost(0, ENOUGH - 1, 0), voting(1, 1), voting(2, 1), voting(3, 1))))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void whoBecameRipeWhileTheOthersWereReadHasToWaitForTheNextTime() {
        // Another client has watched it, too. But what was read of the others may be older than the end of the wait.
        assertThat(Readmission.decide(
                        5, Set.of(1), MAX, reports(lost(0, ENOUGH, 0), voting(2, 1), voting(3, 1), voting(4, 1))))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aMajorityOfTheOthersIsNeededNotAMajorityWithTheNodeItself() {
        // Two of four others, and the node itself: the one that remembers may be among the two that do not answer.
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), voting(1, 10), voting(2, 10))))
                .isInstanceOf(Decision.Wait.class);
        assertThat(Readmission.decide(3, ALL, MAX, reports(lost(0, ENOUGH, 0), voting(1, 10))))
                .isInstanceOf(Decision.Wait.class);
        assertThat(Readmission.decide(4, ALL, MAX, reports(lost(0, ENOUGH, 0), voting(1, 10), voting(2, 10))))
                .isInstanceOf(Decision.Admit.class);
    }

    @Test
    void whoHasForgottenDoesNotSeedOthers() {
        // Two are lost at once. Each gets the counters of those that vote, not of the other one.
        Decision decision = Readmission.decide(
                5,
                ALL,
                MAX,
                reports(lost(0, ENOUGH, 99), lost(1, ENOUGH, 77), voting(2, 30), voting(3, 30), voting(4, 31)));
        assertThat(decision)
                .isInstanceOfSatisfying(
                        Decision.Admit.class, admit -> assertThat(admit.seeds()).containsOnly(31L));
    }

    @Test
    void silentNodesAreNotLost() {
        // Two are lost, one votes, two are unreachable: they may come back with their memory, so it is waited for.
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), lost(1, ENOUGH, 0), voting(2, 10))))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aLostMajorityGoesOnFromTheClocksOnceTheLastOfThemWasWatchedLongEnough() {
        // Three of five have forgotten. Whatever any of them still knows counts, and the latest clock plus a second.
        List<Report> reports = reports(
                lost(0, ENOUGH, 7), lost(1, ENOUGH, 9), lost(2, ENOUGH - 1, 8_000_000), voting(3, 1), voting(4, 1));
        assertThat(Readmission.decide(5, ALL, MAX, reports)).isInstanceOf(Decision.Wait.class);
        reports.set(2, lost(2, ENOUGH, 8_000_000));
        assertThat(Readmission.decide(5, ALL, MAX, reports)).isInstanceOfSatisfying(Decision.Admit.class, admit -> {
            assertThat(admit.nodes()).extracting(Report::node).containsExactly(0, 1, 2);
            assertThat(admit.byClocks()).isTrue();
            assertThat(admit.seeds()).containsOnly(8_000_000L);
        });
        reports.set(2, lost(2, ENOUGH, 0));
        assertThat(Readmission.decide(5, ALL, MAX, reports))
                .isInstanceOfSatisfying(
                        Decision.Admit.class, admit -> assertThat(admit.seeds()).containsOnly(TIME + 1_000_000));
    }

    @Test
    void aNewDeploymentOfWhichAMajorityAnswersAdmitsItself() {
        // Nothing was ever there, and one server is not reachable yet.
        assertThat(Readmission.decide(
                        5,
                        ALL,
                        MAX,
                        reports(lost(0, ENOUGH, 0), lost(1, ENOUGH, 0), lost(2, ENOUGH, 0), lost(3, ENOUGH, 0))))
                .isInstanceOfSatisfying(
                        Decision.Admit.class, admit -> assertThat(admit.nodes()).hasSize(4));
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), lost(1, ENOUGH, 0))))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aLongerLeaseThanWasWaitedForVoidsEverythingThatWasRead() {
        // A client has announced longer leases meanwhile. A counter that was read before may be overtaken by one of
        // them.
        Report longer = new Report(3, null, 0, 2 * MAX, TIME, counters(5));
        assertThat(Readmission.decide(
                        5,
                        ALL,
                        MAX,
                        reports(lost(0, 10 * ENOUGH, 0), voting(1, 1), voting(2, 1), longer, voting(4, 1))))
                .isEqualTo(new Decision.WaitFor(2 * MAX));
    }
}
