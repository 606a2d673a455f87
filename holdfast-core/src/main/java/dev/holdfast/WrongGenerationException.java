package dev.holdfast;

/**
 * A guard accepts the tokens of another lock store than the one that this token came from: the write was refused and nothing
 * was changed. The size of the token was not looked at. Acquiring again does not help; this process, or the guard, has to be
 * moved.
 */
public final class WrongGenerationException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final FencingToken token;
    private final int presented;
    private final int current;

    public WrongGenerationException(String resource, FencingToken token, int presented, int current) {
        super("Token " + token + " of generation " + presented + " is refused at '" + resource
                + "', which accepts generation " + current + ". Nothing was written. "
                + (presented < current
                        ? "The guard was moved to the tokens of another lock store. Stop this process, or let it use that"
                                + " store and generation " + current + "."
                        : "The guard has not been moved to the tokens of this process's lock store yet. Stop the processes"
                                + " that use the old store, then move the guard (holdfast fence move, or the guard's"
                                + " method move)."));
        this.token = token;
        this.presented = presented;
        this.current = current;
    }

    /** The token that was refused. */
    public FencingToken token() {
        return token;
    }

    /** The generation that the token was presented with. */
    public int presented() {
        return presented;
    }

    /** The generation that the guard accepts. */
    public int current() {
        return current;
    }
}
