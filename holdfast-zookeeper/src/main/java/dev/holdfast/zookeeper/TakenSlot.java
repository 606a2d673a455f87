package dev.holdfast.zookeeper;

import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A child of the node of a semaphore's slots, as its own name tells it: which slot it is, and whose. The owner and the
 * server's number make the path unique for all time, so whoever removes it removes nobody else's.
 */
record TakenSlot(String child, int slot, Owner owner) {
    private static final int OWNER_LENGTH = 22;

    /** What the server completes with a number, which means nothing. */
    static String prefix(int slot, Owner owner) {
        return slot + "-" + owner + "-";
    }

    /** Nodes that others put there are passed over: they hold nothing. */
    static List<TakenSlot> of(List<String> children) {
        List<TakenSlot> taken = new ArrayList<>(children.size());
        children.forEach(child -> parse(child).ifPresent(taken::add));
        return taken;
    }

    private static Optional<TakenSlot> parse(String child) {
        int dash = child.indexOf('-');
        int end = dash + 1 + OWNER_LENGTH;
        if (dash < 1 || child.length() <= end || child.charAt(end) != '-') {
            return Optional.empty();
        }
        try {
            int slot = Integer.parseInt(child.substring(0, dash));
            return slot < 0
                    ? Optional.empty()
                    : Optional.of(new TakenSlot(child, slot, Owner.parse(child.substring(dash + 1, end))));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }
}
