package dev.holdfast;

/** The lease is over although its holder did not close it: somebody else may hold the lock by now. */
public final class LeaseLostException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final Loss loss;

    LeaseLostException(Loss loss, String advice) {
        super(loss + ". " + advice);
        this.loss = loss;
    }

    /** What happened. */
    public Loss loss() {
        return loss;
    }
}
