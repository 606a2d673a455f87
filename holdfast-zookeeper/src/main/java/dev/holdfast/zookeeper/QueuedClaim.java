package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A child of a key's node, as its own name tells it: whose it is, what it asks for, and where it stands. The owner makes the
 * path unique for all time, which the sequence alone does not: it begins anew when the server has removed an unused
 * container.
 *
 * @param mark what it asks for: empty for a lock, {@code w} to write, {@code r} to read, {@code s8} for one of eight slots. In
 *     the name and not in the data, so that one list of children shows who waits for whom
 */
record QueuedClaim(String child, Owner owner, String mark, int sequence) implements Comparable<QueuedClaim> {
    private static final int OWNER_LENGTH = 22;
    private static final String READER = "r";
    private static final String WRITER = "w";
    private static final char SLOTS = 's';

    /** What the server completes with ten digits. */
    static String prefix(Claim claim) {
        return switch (claim.kind()) {
            case LOCK -> claim.owner() + "-";
            case SEMAPHORE -> claim.owner() + "-" + SLOTS + claim.slots() + "-";
            case READ_WRITE_LOCK -> claim.owner() + "-" + (claim.shared() ? READER : WRITER) + "-";
        };
    }

    /** Whether it tolerates others of its kind in front. Whatever is not known to do so is waited for. */
    boolean isReader() {
        return mark.equals(READER);
    }

    /** It may take slots below this number; 0 if it does not ask for any. */
    int slots() {
        if (mark.isEmpty() || mark.charAt(0) != SLOTS) {
            return 0;
        }
        try {
            return Integer.parseInt(mark.substring(1));
        } catch (NumberFormatException notOurs) {
            return 0;
        }
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
        // At the end of its numbers the server writes negative ones: a dash that comes first belongs to the number.
        int from = OWNER_LENGTH + 1;
        int dash = child.indexOf('-', from + 1);
        return new QueuedClaim(
                child,
                Owner.parse(child.substring(0, OWNER_LENGTH)),
                dash < 0 ? "" : child.substring(from, dash),
                Integer.parseInt(child.substring(dash < 0 ? from : dash + 1)));
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
