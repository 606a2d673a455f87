package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Owner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What all nodes say of some locks, by {@code look.lua}. Filled by one thread, after all have answered. */
final class LockSight {
    private static final String NOBODY = "";
    private static final String RESERVED = "0";

    /** What one node says of one lock. */
    record Vote(String owner, String token) {
        static Vote parse(String text) {
            String[] fields = text.split(" ", 4);
            return fields.length < 3 ? new Vote(NOBODY, RESERVED) : new Vote(fields[0], fields[2]);
        }

        boolean isAbsent() {
            return owner.equals(NOBODY);
        }

        boolean isReservation() {
            return !isAbsent() && token.equals(RESERVED);
        }
    }

    private final Members members;
    private final Map<String, Vote[]> votes = new HashMap<>();

    LockSight(Members members) {
        this.members = members;
    }

    /** @param names in the order in which this node was asked for them */
    void add(Member member, List<String> names, QuorumReplies.Looked looked) {
        for (int i = 0; i < names.size(); i++) {
            votes.computeIfAbsent(names.get(i), name -> new Vote[members.size()])[member.index] =
                    Vote.parse(looked.locks().get(i));
        }
    }

    /** Null if that node has not answered. */
    @Nullable
    Vote vote(String name, Member member) {
        return of(name)[member.index];
    }

    private @Nullable Vote[] of(String name) {
        Vote[] all = votes.get(name);
        return all == null ? new Vote[members.size()] : all;
    }

    /** Whether somebody has a majority, as far as can be told: nodes that did not answer may be the rest of it. */
    boolean mayBeHeld(String name) {
        int silent = 0;
        Map<String, Integer> byOwner = new HashMap<>();
        for (Vote vote : of(name)) {
            if (vote == null) {
                silent++;
            } else if (!vote.token.equals(RESERVED)) {
                byOwner.merge(vote.owner, 1, Integer::sum);
            }
        }
        int most = byOwner.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return most > 0 && most + silent >= members.majority;
    }

    /** Whether it is somebody else's turn. */
    boolean isKeptFromUs(String name, Owner owner) {
        for (Vote vote : of(name)) {
            if (vote != null && vote.isReservation() && !vote.owner.equals(owner.toString())) {
                return true;
            }
        }
        return false;
    }

    /** Whether no node has a vote of anybody, not even one that is left over. */
    boolean isUntouched(String name) {
        for (Vote vote : of(name)) {
            if (vote != null && !vote.token.equals(RESERVED)) {
                return false;
            }
        }
        return true;
    }
}
