package dev.holdfast.spi;

import dev.holdfast.Votes;

/**
 * Proof that a claim was granted.
 *
 * @param lastToken the highest of the reserved tokens: the block is {@code (lastToken - tokens, lastToken]}
 * @param tokens how many were reserved, at least one; a backend may reserve fewer than asked for
 * @param validUntilNanos on {@link Environment#nanoTime()}, drift already taken off: see {@link Validity}
 * @param provisional granted for a short window only: if it is not released within a moment, core renews it, and the
 *     renewal makes it a full lease
 * @param votes how many nodes of the store granted it, as far as they had answered
 * @param slot which slot of a semaphore it is; 0 for everything else
 */
public record Grant(long lastToken, int tokens, long validUntilNanos, boolean provisional, Votes votes, int slot) {
    public Grant {
        if (tokens < 1 || lastToken < tokens) {
            throw new IllegalArgumentException(
                    "A grant needs at least one token above zero: last " + lastToken + ", " + tokens + " tokens");
        }
    }

    /** By a store that is one node. */
    public Grant(long lastToken, int tokens, long validUntilNanos, boolean provisional) {
        this(lastToken, tokens, validUntilNanos, provisional, Votes.ONE_OF_ONE);
    }

    /** Of the whole. */
    public Grant(long lastToken, int tokens, long validUntilNanos, boolean provisional, Votes votes) {
        this(lastToken, tokens, validUntilNanos, provisional, votes, 0);
    }

    /** The same grant, of this slot of a semaphore. */
    public Grant ofSlot(int number) {
        return new Grant(lastToken, tokens, validUntilNanos, provisional, votes, number);
    }

    /** A grant for the full lease. */
    public static Grant full(long lastToken, int tokens, long validUntilNanos) {
        return new Grant(lastToken, tokens, validUntilNanos, false);
    }
}
