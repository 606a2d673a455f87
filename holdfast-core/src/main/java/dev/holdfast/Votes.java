package dev.holdfast;

import java.util.List;

/**
 * How many of a store's independent nodes stand behind a lock. A store that is one node says one of one.
 *
 * @param granted the nodes that do, as far as they have answered
 * @param nodes all of them, answering or not
 * @param grantedBy the addresses of those that do; empty where only the number is known
 * @param others the addresses of those that do not, or have not answered; empty likewise
 */
public record Votes(int granted, int nodes, List<String> grantedBy, List<String> others) {
    /** The whole of a store that is one node. */
    public static final Votes ONE_OF_ONE = new Votes(1, 1);

    public Votes {
        grantedBy = List.copyOf(grantedBy);
        others = List.copyOf(others);
    }

    /** The numbers alone. */
    public Votes(int granted, int nodes) {
        this(granted, nodes, List.of(), List.of());
    }

    /** By address. */
    public static Votes of(List<String> grantedBy, List<String> others) {
        return new Votes(grantedBy.size(), grantedBy.size() + others.size(), grantedBy, others);
    }

    /** For people: {@code 3 of 5}. */
    @Override
    public String toString() {
        return granted + " of " + nodes;
    }
}
