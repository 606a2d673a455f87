package dev.holdfast;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;

/**
 * The record of one step in which a guard was moved to the tokens of another lock store: who did it, when, and what the guard
 * had seen until then. It is kept beside the guard. Immutable; made by guards.
 */
public final class GuardMove {
    private static final int LONGEST_BY = 200;

    private final GuardState before;
    private final int toGeneration;
    private final String by;
    private final Instant at;

    private GuardMove(GuardState before, int toGeneration, String by, Instant at) {
        this.before = before;
        this.toGeneration = toGeneration;
        this.by = Objects.requireNonNull(by, "by");
        this.at = Objects.requireNonNull(at, "at");
    }

    /**
     * For guards: a move that is about to happen.
     *
     * @throws IllegalArgumentException if it would not lead to a later generation, or nobody is named
     */
    public static GuardMove of(GuardState seen, int toGeneration, String by, Instant at) {
        if (toGeneration <= seen.generation()) {
            throw new IllegalArgumentException("A guard moves to a later generation only. It is at " + seen.generation()
                    + ", so it cannot move to " + toGeneration + ": tokens that are refused now would pass again.");
        }
        if (by.isBlank() || by.length() > LONGEST_BY) {
            throw new IllegalArgumentException(
                    "Say who moves the guard, in 1 to " + LONGEST_BY + " characters: it is recorded.");
        }
        long newest = seen.newest().map(FencingToken::value).orElse(0L);
        return recorded(seen.generation(), newest, toGeneration, by, at.truncatedTo(ChronoUnit.MILLIS));
    }

    /** For guards: a move as it was recorded. */
    public static GuardMove recorded(int fromGeneration, long newest, int toGeneration, String by, Instant at) {
        return new GuardMove(GuardState.of(fromGeneration, newest), toGeneration, by, at);
    }

    /** The generation whose tokens have been refused since. */
    public int fromGeneration() {
        return before.generation();
    }

    /** The newest token of that generation that the guard had seen. Empty: none. */
    public Optional<FencingToken> newest() {
        return before.newest();
    }

    /** The generation whose tokens have been accepted since. */
    public int toGeneration() {
        return toGeneration;
    }

    /** Who moved it, in that person's or program's own words. */
    public String by() {
        return by;
    }

    /** When, by the clock of whoever moved it. */
    public Instant at() {
        return at;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GuardMove move
                && before.equals(move.before)
                && toGeneration == move.toGeneration
                && by.equals(move.by)
                && at.equals(move.at);
    }

    @Override
    public int hashCode() {
        return Objects.hash(before, toGeneration, by, at);
    }

    @Override
    public String toString() {
        return "from generation " + fromGeneration() + " (newest token "
                + newest().map(FencingToken::toString).orElse("none") + ") to " + toGeneration + " by " + by + " at "
                + at;
    }
}
