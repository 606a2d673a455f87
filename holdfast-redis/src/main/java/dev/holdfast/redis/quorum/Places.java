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
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this process that stand in line, each at one node, its home. A node that becomes free tells the next in
 * line that it is its turn; that is a hint, and core asks again. Whatever may have cost a claim its place is such a hint,
 * too: the home is silent, it restarted, or its inbox was broken for a while.
 */
final class Places {
    /** Of a slot: a name, what makes it the key of a semaphore, and the number. */
    private static final int LONGEST_NAME = 512 + 32;

    /**
     * One of them, with its entry in the queue.
     *
     * @param slots of a semaphore, how many of them it may have; otherwise 1
     */
    record Place(String key, int slots, Owner owner, Member home, String entry) {
        /** The locks of which it may have one. */
        List<String> names() {
            return SlotNames.below(key, slots);
        }
    }

    /**
     * Somebody's turn.
     *
     * @param name of the lock, or of the slot
     */
    record Turn(Member from, String name) {}

    /** What a place is good for. */
    interface Claims {
        /** Whether a claim of this owner is being asked for now. */
        boolean isAsked(Owner owner);

        /** As {@link #isAsked}, or it has been granted. */
        boolean isInUse(Owner owner);

        /** Gives back a turn that nobody here waits for. */
        void decline(Turn turn, Owner owner);

        /** There is a place: somebody has to look after it. */
        void startLooking();
    }

    private final Events events;
    private final ConcurrentHashMap<Owner, Place> places = new ConcurrentHashMap<>();
    /** Claims that were told their turn and have not asked since. */
    private final ConcurrentHashMap<Owner, Turn> turns = new ConcurrentHashMap<>();

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
        places.put(claim.owner(), new Place(claim.key(), claim.slots(), claim.owner(), home, entry));
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

    /** Its turn, if it asks because it was told so; answers that once. */
    @Nullable
    Turn takeTurn(Owner owner) {
        return turns.isEmpty() ? null : turns.remove(owner);
    }

    /** It waits no longer; answers with a turn that it has not taken. */
    @Nullable
    Turn forget(Owner owner) {
        places.remove(owner);
        return takeTurn(owner);
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
            owner = isPossible(fields) ? Owner.parse(fields[0]) : null;
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
        Turn turn = new Turn(from, fields[2]);
        if (expected || claims.isAsked(owner)) {
            turns.put(owner, turn);
            events.maybeFree(SlotNames.keyOf(fields[2]));
        }
        // Core asks at once, if it wants it. A turn that nobody takes would keep the others waiting for a claim window.
        // Who
        // has the lock keeps them waiting anyway; who has one slot must not keep another.
        boolean wanted = SlotNames.isSemaphore(fields[2]) ? claims.isAsked(owner) : claims.isInUse(owner);
        if (!wanted) {
            turns.remove(owner);
            claims.decline(turn, owner);
        }
    }

    private static boolean isPossible(String... fields) {
        return fields.length == 3 && fields[2].length() <= LONGEST_NAME && SlotNames.isPossible(fields[2]);
    }

    /** Its place is of no use any more: core is to ask again. */
    void lost(Place place) {
        if (places.remove(place.owner, place)) {
            events.maybeFree(place.key);
        }
    }

    /** The lock may be had, and its home does not know: core is to ask all nodes, and keeps its place. */
    void maybeFree(Place place, String name) {
        if (!name.equals(place.key)) {
            // Asked anew, the home would say that all slots are taken.
            turns.put(place.owner, new Turn(place.home, name));
        }
        events.maybeFree(place.key);
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
