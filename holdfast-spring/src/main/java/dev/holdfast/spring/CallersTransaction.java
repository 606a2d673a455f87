package dev.holdfast.spring;

/**
 * What a {@link Locked} method does if its caller has begun a transaction already. What the method writes can then be seen by
 * others only once the caller has committed, so a lock that is given back when the method returns protects nothing.
 */
public enum CallersTransaction {
    /** Holds the lock until the caller's transaction has completed. */
    HOLD,

    /** Throws {@code IllegalTransactionStateException}, before anything is locked. */
    REFUSE,

    /**
     * Gives the lock back when the method returns. Right where the method's writes are not part of the caller's transaction,
     * as with {@code REQUIRES_NEW}.
     */
    IGNORE
}
