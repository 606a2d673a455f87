package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.redis.node.HolderTexts;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this process that stand in line, each at one node, its home. A node that becomes free tells the next in
 * line that it is its turn; that is a hint, and core asks again. Whatever may have cost a claim its place is such a hint,
 * too: the home is silent, it restarted, or its inbox was broken for a while.
 */
final class Places {
    private static final int LONGEST_NAME = 512;

    /** One of them, with its entry in the queue. */
    record Place(String name, Owner owner, Member home, String entry) {}

    /** What a place is good for. */
    interface Claims {
        /** Whether a claim of this owner is being asked for now. */
        boolean isAsked(Owner owner);

        /** As {@link #isAsked}, or it has been granted. */
        boolean isInUse(Owner owner);

        /** Gives back a turn that nobody here waits for. */
        void decline(Member from, String name, Owner owner);

        /** There is a place: somebody has to look after it. */
        void startLooking();
    }

    private final Events events;
    private final ConcurrentHashMap<Owner, Place> places = new ConcurrentHashMap<>();
    /** Claims that were told their turn and have not asked since. */
    private final Set<Owner> turns = ConcurrentHashMap.newKeySet();

    private final HolderTexts holders = new HolderTexts();
    private @Nullable Claims claims;

    Places(Events events) {
        this.events = events;
    }

    /** Before anything else. */
    void start(Claims those) {
        this.claims = those;
    }

    /** What a vote for this holder ends with. */
    String tail(Holder holder) {
        return holders.of(holder).tail();
    }

    // ---- claims

    /**
     * Before the request is sent, with that channel: the turn may come before its answer.
     *
     * @return its entry: the same bytes for every repetition of the claim with that channel
     */
    String expect(Claim claim, Member home, String channel) {
        String entry =
                Wire.entryOfQuorum(claim, channel, holders.of(claim.holder()).text());
        places.put(claim.owner(), new Place(claim.key(), claim.owner(), home, entry));
        if (claims != null) {
            claims.startLooking();
        }
        return entry;
    }

    boolean has(Owner owner) {
        return places.containsKey(owner);
    }

    /** Whether this very place is still waited for, and no question is under way that will tell how it stands. */
    boolean isIdle(Place place) {
        return place.equals(places.get(place.owner)) && claims != null && !claims.isAsked(place.owner);
    }

    /** Its place, if it has one: it is going to ask for another. */
    void leave(Owner owner) {
        places.remove(owner);
    }

    /** Whether it asks because it was told that it is its turn; answers so once. */
    boolean takeTurn(Owner owner) {
        return !turns.isEmpty() && turns.remove(owner);
    }

    /** It waits no longer. */
    void forget(Owner owner) {
        places.remove(owner);
        if (!turns.isEmpty()) {
            turns.remove(owner);
        }
    }

    List<Place> all() {
        return new ArrayList<>(places.values());
    }

    // ---- turns

    /** {@code owner counter name}. */
    void turn(Member from, String text) {
        String[] fields = text.split(" ", 3);
        Owner owner;
        try {
            owner = fields.length < 3 || fields[2].length() > LONGEST_NAME ? null : Owner.parse(fields[0]);
        } catch (IllegalArgumentException notOurs) {
            owner = null;
        }
        if (owner == null) {
            events.notice(BackendNotice.warning(
                    from.address(), "something that is no turn was published to " + from.channel()));
            return;
        }
        boolean expected = places.remove(owner) != null;
        if (claims == null) {
            return;
        }
        if (expected || claims.isAsked(owner)) {
            turns.add(owner);
            events.maybeFree(fields[2]);
        }
        // Core asks at once, if it wants it. A turn that nobody takes would keep the others waiting for a claim window.
        if (!claims.isInUse(owner)) {
            turns.remove(owner);
            claims.decline(from, fields[2], owner);
        }
    }

    /** Its place is of no use any more: core is to ask again. */
    void lost(Place place) {
        if (places.remove(place.owner, place)) {
            events.maybeFree(place.name);
        }
    }

    /** The lock may be had, and its home does not know: core is to ask all nodes, and keeps its place. */
    void maybeFree(Place place) {
        events.maybeFree(place.name);
    }

    /** Every claim that stands there may have lost its place. */
    void recheck(Member home) {
        for (Map.Entry<Owner, Place> each : places.entrySet()) {
            if (each.getValue().home == home) {
                lost(each.getValue());
            }
        }
    }

    void clear() {
        turns.clear();
        places.clear();
    }
}
