package dev.holdfast;

/** A resource has seen a newer token than the one presented: the write was refused and nothing was changed. */
public final class StaleTokenException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final FencingToken presented;
    private final FencingToken newest;

    public StaleTokenException(String resource, FencingToken presented, FencingToken newest) {
        super("Token " + presented + " is stale at '" + resource + "', which has seen " + newest
                + ": a later lease of the lock has been here, so the one this token came with is over. Whether anybody holds"
                + " the lock now is not known here. Nothing was written; acquire again and start over from what the"
                + " resource holds now.");
        this.presented = presented;
        this.newest = newest;
    }

    /** The token that was refused. */
    public FencingToken presented() {
        return presented;
    }

    /** The newest token the resource has seen. */
    public FencingToken newest() {
        return newest;
    }
}
