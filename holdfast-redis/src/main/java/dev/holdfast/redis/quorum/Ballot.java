package dev.holdfast.redis.quorum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the nodes have answered to one round, and what follows from it. Pure: knows no node, no time, no thread.
 *
 * <p>The token needs a majority of <em>all</em> nodes that stand for exactly the same value. Two winners' majorities
 * share a node, tenures at that node come one after the other, and the later one reads a counter that is at least the
 * earlier one's token: so tokens grow, and no clock appears in the argument.
 */
public final class Ballot {
    /** What follows. */
    sealed interface Decision {
        /**
         * More answers are needed.
         *
         * @param disagreement enough nodes granted, with different values: more answers may still make them agree
         */
        record Wait(boolean disagreement) implements Decision {}

        record Won(long token, int votes) implements Decision {}

        /** Round 2, for these nodes only: each of them is to stand for this token. */
        record Raise(long token, List<Integer> nodes) implements Decision {}

        /** A majority is out of reach. */
        record Lost() implements Decision {}
    }

    private enum Vote {
        PENDING,
        GRANTED,
        RAISING,
        NO
    }

    private static final Decision WAIT = new Decision.Wait(false);
    private static final Decision DISAGREEMENT = new Decision.Wait(true);
    private static final Decision LOST = new Decision.Lost();
    private static final long ROUND_ONE = 0;

    private final Vote[] votes;
    private final long[] values;
    private final int majority;
    /** The token of round 2. */
    private long raisedTo = ROUND_ONE;

    Ballot(int nodes) {
        votes = new Vote[nodes];
        Arrays.fill(votes, Vote.PENDING);
        values = new long[nodes];
        majority = majorityOf(nodes);
    }

    /** Of all nodes, however few answer. */
    public static int majorityOf(int nodes) {
        return nodes / 2 + 1;
    }

    // ---- answers

    void granted(int node, long value) {
        votes[node] = Vote.GRANTED;
        values[node] = value;
    }

    /** Busy, refused, failed, or no answer: no vote that could be counted. */
    void no(int node) {
        votes[node] = Vote.NO;
    }

    /** An answer of round 2. */
    void raised(int node, boolean stands) {
        if (stands) {
            granted(node, raisedTo);
        } else {
            no(node);
        }
    }

    /** What a node answered, if it granted and nothing else is known since; otherwise zero. */
    long valueOf(int node) {
        return votes[node] == Vote.PENDING || votes[node] == Vote.NO ? 0 : values[node];
    }

    // ---- decisions

    /** @param patienceOver whether to stop hoping that nodes which have not answered make the others agree */
    Decision decide(boolean patienceOver) {
        return raisedTo == ROUND_ONE ? decideRoundOne(patienceOver) : decideRoundTwo();
    }

    private Decision decideRoundOne(boolean patienceOver) {
        long best = mostFrequentValue();
        int agreeing = standingFor(best);
        if (agreeing >= majority) {
            return new Decision.Won(best, agreeing);
        }
        int granted = count(Vote.GRANTED);
        int pending = count(Vote.PENDING);
        if (granted + pending < majority) {
            return LOST;
        }
        if (granted < majority) {
            return WAIT;
        }
        if (agreeing + pending >= majority && !patienceOver) {
            return DISAGREEMENT;
        }
        raisedTo = largestValue();
        return decideRoundTwo();
    }

    private Decision decideRoundTwo() {
        int standing = standingFor(raisedTo);
        if (standing >= majority) {
            return new Decision.Won(raisedTo, standing);
        }
        List<Integer> lower = new ArrayList<>();
        for (int node = 0; node < votes.length; node++) {
            // A greater value came late: that node's counter has moved on, and somebody else may have had the token
            // there
            // in between. It does not count in this round.
            if (votes[node] == Vote.GRANTED && values[node] < raisedTo) {
                votes[node] = Vote.RAISING;
                lower.add(node);
            }
        }
        if (!lower.isEmpty()) {
            return new Decision.Raise(raisedTo, lower);
        }
        return standing + count(Vote.RAISING) + count(Vote.PENDING) < majority ? LOST : WAIT;
    }

    private int count(Vote vote) {
        int count = 0;
        for (Vote each : votes) {
            count += each == vote ? 1 : 0;
        }
        return count;
    }

    private int standingFor(long token) {
        int count = 0;
        for (int node = 0; node < votes.length; node++) {
            count += votes[node] == Vote.GRANTED && values[node] == token ? 1 : 0;
        }
        return count;
    }

    private long mostFrequentValue() {
        long best = 0;
        int most = 0;
        for (int node = 0; node < votes.length; node++) {
            if (votes[node] == Vote.GRANTED && standingFor(values[node]) > most) {
                best = values[node];
                most = standingFor(best);
            }
        }
        return best;
    }

    private long largestValue() {
        long largest = 0;
        for (int node = 0; node < votes.length; node++) {
            if (votes[node] == Vote.GRANTED) {
                largest = Math.max(largest, values[node]);
            }
        }
        return largest;
    }
}
