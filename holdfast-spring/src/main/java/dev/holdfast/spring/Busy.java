package dev.holdfast.spring;

/** What a {@link Locked} method does if the lock stays busy for as long as it may wait. */
public enum Busy {
    /** Throws {@link dev.holdfast.LockTimeoutException}. The method did not run. */
    THROW,

    /**
     * Returns without running the method: nothing, null, an empty {@code Optional}, a completed stage or an empty publisher,
     * whichever the method's type allows. Not for methods that return a primitive.
     */
    SKIP,

    /** Calls the method that is named by {@link Locked#fallback} instead. */
    FALLBACK
}
