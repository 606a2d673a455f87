package dev.holdfast.zookeeper;

import dev.holdfast.spi.Owner;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore as it was seen: who waits, in order, and which slots are taken.
 *
 * <p>Free slots go to those who wait, in their order; each gets the lowest one below its own number of slots. From the same
 * view everybody finds the same, so the others need not be asked.
 *
 * @param waiting what was seen of the queue, not earlier than of the slots. So whoever sees a slot free that was taken when
 *     another began to wait sees that other wait
 * @param slots the node of the slots, not later than what is taken; null if it was not there
 */
record SemaphoreView(List<QueuedClaim> waiting, @Nullable Stat slots, List<TakenSlot> taken) {
    private static final int NONE = -1;

    /** Where this claim stands among those who wait; negative if it does not stand there. */
    int placeOf(Place.Node claim) {
        for (int i = 0; i < waiting.size(); i++) {
            if (claim.path().endsWith("/" + waiting.get(i).child())) {
                return i;
            }
        }
        return NONE;
    }

    /** What this owner has taken. */
    Optional<TakenSlot> takenBy(Owner owner) {
        return taken.stream().filter(each -> each.owner().equals(owner)).findFirst();
    }

    /**
     * Which slot is for a claim that so many wait in front of; negative if none is.
     *
     * @param most it may have slots below this number
     */
    int slotFor(int place, int most) {
        BitSet gone = new BitSet();
        taken.forEach(each -> gone.set(each.slot()));
        for (QueuedClaim front : waiting.subList(0, place)) {
            int lowest = gone.nextClearBit(0);
            if (lowest < front.slots()) {
                gone.set(lowest);
            }
        }
        int lowest = gone.nextClearBit(0);
        return lowest < most ? lowest : NONE;
    }

    /**
     * The nearest one in front that may have every slot that this claim may have: before that one is served, this one is
     * not. Negative if there is none: then a slot can become free that only this claim may have, and it has to watch them.
     */
    int servedBefore(int place, int most) {
        for (int i = place - 1; i >= 0; i--) {
            if (waiting.get(i).slots() >= most) {
                return i;
            }
        }
        return NONE;
    }

    /**
     * Of those in front, the nearest of those that may have the most slots. If it leaves without having taken one, a slot may
     * be left for this claim. Negative if nobody is in front.
     */
    int widestInFront(int place) {
        int widest = place - 1;
        for (int i = place - 2; i >= 0; i--) {
            if (waiting.get(i).slots() > waiting.get(widest).slots()) {
                widest = i;
            }
        }
        return widest;
    }

    /** The same queue with what is taken now. */
    SemaphoreView with(Session.Listed listed) {
        return new SemaphoreView(waiting, listed.stat(), TakenSlot.of(listed.children()));
    }
}
