package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.quorum.Readmission.Decision;
import dev.holdfast.redis.quorum.Readmission.Report;
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

    /** Bound to the list by clients that had nothing but their own word for it. */
    private static Report fresh(int node) {
        return new Report(node, "n" + node, ENOUGH, MAX, TIME, 0, counters(0), "");
    }

    private static Report voting(int node, long counter) {
        return new Report(node, null, 0, MAX, TIME, 1, counters(counter), "");
    }

    private static Report lost(int node, long observed, long counter) {
        return new Report(node, "n" + node, observed, MAX, TIME, 1, counters(counter), "");
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
    void aNewDeploymentAdmitsItselfOnceAllOfItAnswers() {
        // Nothing was ever there. With four of five, another client may have the fifth and three of these on its list:
        // each
        // would have a majority.
        List<Report> reports = reports(fresh(0), fresh(1), fresh(2), fresh(3));
        assertThat(Readmission.decide(5, ALL, MAX, reports))
                .isInstanceOfSatisfying(
                        Decision.Wait.class, wait -> assertThat(wait.why()).contains("all 5 have to answer, and 4 do"));
        reports.add(fresh(4));
        assertThat(Readmission.decide(5, ALL, MAX, reports)).isInstanceOfSatisfying(Decision.Admit.class, admit -> {
            assertThat(admit.nodes()).hasSize(5);
            assertThat(admit.version()).isEqualTo(1);
        });
    }

    @Test
    void aLostMajorityThatStillKnowsItsListNeedsNoMoreThanAMajority() {
        // Restarted with their data: what they hold may be incomplete, but which list they belong to is certain.
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), lost(1, ENOUGH, 0), lost(2, ENOUGH, 0))))
                .isInstanceOf(Decision.Admit.class);
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), lost(1, ENOUGH, 0), fresh(2))))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aCounterThatIsNoneTeachesNothingAndIsNamedIfItIsMissed() {
        // One such value ended the whole readmission with an exception that nobody saw.
        List<Long> poisoned = new ArrayList<>(counters(30));
        poisoned.set(7, Readmission.FOREIGN);
        Report poison = new Report(1, null, 0, MAX, TIME, 1, poisoned, "Redis at b has 'x' in k");
        assertThat(Readmission.decide(5, ALL, MAX, reports(lost(0, ENOUGH, 0), poison, voting(2, 20), voting(3, 10))))
                .isInstanceOfSatisfying(
                        Decision.Wait.class, wait -> assertThat(wait.why()).contains("Redis at b has 'x' in k"));
        assertThat(Readmission.decide(
                        5, ALL, MAX, reports(lost(0, ENOUGH, 0), poison, voting(2, 20), voting(3, 10), voting(4, 10))))
                .isInstanceOfSatisfying(Decision.Admit.class, admit -> {
                    assertThat(admit.seeds().get(7)).isEqualTo(20);
                    assertThat(admit.seeds().get(8)).isEqualTo(30);
                });
    }

    @Test
    void aLongerLeaseThanWasWaitedForVoidsEverythingThatWasRead() {
        // A client has announced longer leases meanwhile. A counter that was read before may be overtaken by one of
        // them.
        Report longer = new Report(3, null, 0, 2 * MAX, TIME, 1, counters(5), "");
        assertThat(Readmission.decide(
                        5,
                        ALL,
                        MAX,
                        reports(lost(0, 10 * ENOUGH, 0), voting(1, 1), voting(2, 1), longer, voting(4, 1))))
                .isEqualTo(new Decision.WaitFor(2 * MAX));
    }
}
