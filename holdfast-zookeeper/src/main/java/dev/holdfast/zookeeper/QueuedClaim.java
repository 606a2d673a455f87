package dev.holdfast.zookeeper;

import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A child of a name, as its own name tells it: whose it is, and where it stands. The owner makes the path unique for all
 * time, which the sequence alone does not: it begins anew when the server has removed an unused container.
 */
record QueuedClaim(String child, Owner owner, int sequence) implements Comparable<QueuedClaim> {
    private static final int OWNER_LENGTH = 22;

    /** What the server completes with ten digits. */
    static String prefix(Owner owner) {
        return owner + "-";
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is not a child of ours
     */
    static QueuedClaim parse(String child) {
        if (child.length() <= OWNER_LENGTH + 1 || child.charAt(OWNER_LENGTH) != '-') {
            throw new IllegalArgumentException("Not a claim: " + child);
        }
        return new QueuedClaim(
                child,
                Owner.parse(child.substring(0, OWNER_LENGTH)),
                Integer.parseInt(child.substring(OWNER_LENGTH + 1)));
    }

    /** In the order of their claims. Nodes that others put there are passed over: they hold nothing. */
    static List<QueuedClaim> inOrder(List<String> children) {
        List<QueuedClaim> queue = new ArrayList<>(children.size());
        children.forEach(child -> tryParse(child).ifPresent(queue::add));
        queue.sort(null);
        return queue;
    }

    private static Optional<QueuedClaim> tryParse(String child) {
        try {
            return Optional.of(parse(child));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /** Servers never give a number twice in one queue. Should somebody else, everybody still sees the same order. */
    @Override
    public int compareTo(QueuedClaim other) {
        int order = Integer.compare(sequence, other.sequence);
        return order != 0 ? order : child.compareTo(other.child);
    }
}
