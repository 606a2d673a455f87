package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.quorum.Ballot.Decision;
import java.util.List;
import org.junit.jupiter.api.Test;

class BallotTest {
    private static final Decision WAIT = new Decision.Wait(false);
    private static final Decision DISAGREEMENT = new Decision.Wait(true);
    private static final Decision LOST = new Decision.Lost();

    @Test
    void aMajorityIsOneOfAllNodesHoweverFewAnswer() {
        // Even numbers too: two of four would let two holders in.
        assertThat(List.of(3, 4, 5, 6, 7).stream().map(Ballot::majorityOf)).containsExactly(2, 3, 3, 4, 4);
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 10);
        ballot.granted(1, 10);
        ballot.no(2);
        ballot.no(3);
        // Both nodes that granted agree: that is a majority of those that granted, and decides nothing.
        assertThat(ballot.decide(false)).isEqualTo(WAIT);
        ballot.no(4);
        assertThat(ballot.decide(false)).isEqualTo(LOST);
    }

    @Test
    void theThirdAnswerDecidesAndNobodyWaitsForTheOthers() {
        // Three of five agree; two have not answered.
        Ballot ballot = new Ballot(5);
        ballot.granted(4, 10);
        ballot.granted(2, 10);
        assertThat(ballot.decide(false)).isEqualTo(WAIT);
        ballot.granted(0, 10);
        assertThat(ballot.decide(false)).isEqualTo(new Decision.Won(10, 3));
    }

    @Test
    void aGreaterValueOfAMinorityDoesNotSpoilAMajority() {
        // The token is what a majority stands for. A node with a greater value only wasted some numbers.
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 99);
        ballot.granted(1, 10);
        ballot.granted(2, 10);
        assertThat(ballot.decide(false)).isEqualTo(DISAGREEMENT);
        ballot.granted(3, 10);
        assertThat(ballot.decide(false)).isEqualTo(new Decision.Won(10, 3));
    }

    @Test
    void nodesThatDisagreeAreRaisedToTheLargest() {
        // Round 2 goes only to nodes whose grant was seen and is another. Those that stood for the token count.
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 10);
        ballot.granted(1, 30);
        ballot.granted(2, 20);
        ballot.no(3);
        assertThat(ballot.decide(false)).isEqualTo(new Decision.Raise(30, List.of(0, 2)));
        ballot.raised(0, true);
        assertThat(ballot.decide(false)).isEqualTo(WAIT);
        ballot.raised(2, true);
        assertThat(ballot.decide(false)).isEqualTo(new Decision.Won(30, 3));
    }

    @Test
    void patienceEndsWhereAHangingNodeCouldHaveSettledIt() {
        // Two stand for 10, two for 20, the fifth hangs.
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 10);
        ballot.granted(1, 10);
        ballot.granted(2, 20);
        ballot.granted(3, 20);
        assertThat(ballot.decide(false)).isEqualTo(DISAGREEMENT);
        assertThat(ballot.decide(true)).isEqualTo(new Decision.Raise(20, List.of(0, 1)));
    }

    @Test
    void aRaiseThatDoesNotStandLosesTheRound() {
        // The vote expired at one node before round 2 came: two are left, and nobody else can help.
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 10);
        ballot.granted(1, 30);
        ballot.granted(2, 30);
        ballot.no(3);
        ballot.no(4);
        assertThat(ballot.decide(false)).isEqualTo(new Decision.Raise(30, List.of(0)));
        ballot.raised(0, false);
        assertThat(ballot.decide(false)).isEqualTo(LOST);
    }

    @Test
    void aGrantThatComesDuringRoundTwoIsRaisedAndMayDecide() {
        // One of the raised votes is gone, but the node that was late helps out.
        Ballot ballot = new Ballot(5);
        ballot.granted(0, 10);
        ballot.granted(1, 30);
        ballot.granted(2, 20);
        ballot.no(3);
        ballot.decide(true);
        ballot.granted(4, 15);
        assertThat(ballot.decide(true)).isEqualTo(new Decision.Raise(30, List.of(4)));
        ballot.raised(0, false);
        ballot.raised(2, true);
        assertThat(ballot.decide(true)).isEqualTo(WAIT);
        ballot.raised(4, true);
        assertThat(ballot.decide(true)).isEqualTo(new Decision.Won(30, 3));
    }

    @Test
    void aLateGrantWithAGreaterValueIsNeverRaisedDown() {
        // Its counter has moved on: somebody else may have had the token there in between, and have released it.
        Ballot ballot = new Ballot(3);
        ballot.granted(0, 1);
        ballot.granted(1, 2);
        assertThat(ballot.decide(true)).isEqualTo(new Decision.Raise(2, List.of(0)));
        ballot.granted(2, 3);
        assertThat(ballot.decide(true)).isEqualTo(WAIT);
        ballot.raised(0, false);
        assertThat(ballot.decide(true)).isEqualTo(LOST);
    }

    @Test
    void lostAsSoonAsAMajorityIsOutOfReach() {
        // Two have not answered and could not help any more.
        Ballot ballot = new Ballot(5);
        ballot.no(0);
        ballot.no(1);
        assertThat(ballot.decide(false)).isEqualTo(WAIT);
        ballot.no(2);
        assertThat(ballot.decide(false)).isEqualTo(LOST);
    }
}
