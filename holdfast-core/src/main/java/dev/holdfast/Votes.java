package dev.holdfast;

/**
 * How many of a store's independent nodes stand behind a lock. A store that is one node says one of one.
 *
 * @param granted the nodes that do, as far as they have answered
 * @param nodes all of them, answering or not
 */
public record Votes(int granted, int nodes) {
    /** The whole of a store that is one node. */
    public static final Votes ONE_OF_ONE = new Votes(1, 1);

    /** For people: {@code 3 of 5}. */
    @Override
    public String toString() {
        return granted + " of " + nodes;
    }
}
