package dev.holdfast;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a guard remembers: which generation of tokens it accepts, the newest of them that it has seen, and the moves that led
 * there. The generation says which lock store the tokens come from; it is 0 until somebody moves the guard. Immutable; made
 * by guards.
 */
public final class GuardState {
    private final int generation;
    private final long newest;
    private final List<GuardMove> moves;

    private GuardState(int generation, long newest, List<GuardMove> moves) {
        this.generation = requireGeneration(generation);
        this.newest = newest;
        this.moves = List.copyOf(moves);
    }

    /** For guards: a guard that was never moved, or whose moves do not matter. */
    public static GuardState of(int generation, long newest) {
        return new GuardState(generation, newest, List.of());
    }

    /**
     * For guards.
     *
     * @param newest the newest token seen; 0: none of this generation
     * @param moves the oldest first
     */
    public static GuardState of(int generation, long newest, List<GuardMove> moves) {
        return new GuardState(generation, newest, moves);
    }

    /** For guards: refuses what is no generation. */
    public static int requireGeneration(int generation) {
        if (generation < 0) {
            throw new IllegalArgumentException("A generation is 0 or more, not " + generation);
        }
        return generation;
    }

    /** The generation whose tokens the guard accepts. */
    public int generation() {
        return generation;
    }

    /** The newest token of this generation that the guard has seen. Empty: none since it was moved. */
    public Optional<FencingToken> newest() {
        return newest == 0 ? Optional.empty() : Optional.of(new FencingToken(newest));
    }

    /** Every move, the oldest first. */
    public List<GuardMove> moves() {
        return moves;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GuardState state
                && generation == state.generation
                && newest == state.newest
                && moves.equals(state.moves);
    }

    @Override
    public int hashCode() {
        return Objects.hash(generation, newest, moves);
    }

    @Override
    public String toString() {
        return "generation " + generation + ", newest token "
                + newest().map(FencingToken::toString).orElse("none") + ", moved " + moves.size() + " times";
    }
}
