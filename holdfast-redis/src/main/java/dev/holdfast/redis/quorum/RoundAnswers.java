package dev.holdfast.redis.quorum;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answers to one round so far, and what they say about where something of ours may be. Guarded by the lock of the round. */
final class RoundAnswers {
    final Ballot ballot;
    final List<Throwable> failures = new ArrayList<>();
    /** Nodes that may hold a vote of ours, by index: not those that proved otherwise. */
    final boolean[] suspects;
    /** Nodes that were asked for a place, by index: not those that proved that there is none. */
    final boolean[] places;
    /** Whether the claim has a place in line. */
    boolean queued;

    private final Members members;
    private final int bucket;
    private final List<Round.Sighting> sightings = new ArrayList<>();
    private int count;

    RoundAnswers(Members members, int bucket) {
        this.members = members;
        this.bucket = bucket;
        this.ballot = new Ballot(members.size());
        this.suspects = new boolean[members.size()];
        this.places = new boolean[members.size()];
    }

    /** A node has answered, or failed to. */
    void note(Member member, QuorumReplies.@Nullable Vote vote, @Nullable Throwable failure) {
        count++;
        if (vote == null || failure != null) {
            Throwable why = failure == null ? new IllegalStateException("no reply") : Member.unwrap(failure);
            suspects[member.index] = !Member.isProof(why);
            places[member.index] &= suspects[member.index];
            failures.add(why);
            ballot.no(member.index);
            return;
        }
        if (vote instanceof QuorumReplies.Vote.Granted granted) {
            places[member.index] = false;
            members.seen(bucket, granted.value());
            ballot.granted(member.index, granted.value());
            return;
        }
        QuorumReplies.Vote.Taken taken = (QuorumReplies.Vote.Taken) vote;
        suspects[member.index] = false;
        members.seen(bucket, taken.counter());
        places[member.index] = taken.place() > 0;
        queued |= places[member.index];
        sightings.add(new Round.Sighting(
                member.index, taken.owner(), taken.token(), taken.remainingMillis(), taken.holder()));
        ballot.no(member.index);
    }

    /**
     * After a defeat: whether it is known if the lock is busy or unavailable. That it is busy only a majority can say, so for that
     * many we wait as long as a node gets.
     *
     * @param waitedLong whether the others have had as long again as the defeat took
     */
    boolean areEnough(boolean waitedLong) {
        boolean majorityHasSpoken = count - failures.size() >= members.majority;
        boolean unavailable = members.size() - failures.size() < members.majority;
        return count >= members.size() || (waitedLong && (majorityHasSpoken || unavailable));
    }

    Round.Outcome.Lost lost(boolean byHome, long elapsedNanos) {
        BitSet mayStand = new BitSet(places.length);
        for (int i = 0; i < places.length; i++) {
            mayStand.set(i, places[i]);
        }
        return new Round.Outcome.Lost(
                List.copyOf(sightings), List.copyOf(failures), byHome, queued, mayStand, elapsedNanos);
    }
}
