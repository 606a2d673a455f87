package dev.holdfast;

import java.util.Objects;

/**
 * The fencing tokens that one tenure may hand out: every lease of the tenure has one of them. Which of them is in use, only
 * the process knows that holds the lock, because it hands the lock on to its own waiters without asking the store.
 */
public record TokenRange(FencingToken first, FencingToken last) {
    public TokenRange {
        Objects.requireNonNull(first, "first");
        if (first.isNewerThan(last)) {
            throw new IllegalArgumentException("A range of tokens cannot begin after its end: " + first + ", " + last);
        }
    }

    /** The block that ends with this token, as a store keeps it. */
    public static TokenRange endingWith(long lastToken, int tokens) {
        return new TokenRange(new FencingToken(lastToken - tokens + 1), new FencingToken(lastToken));
    }

    /** Whether a lease with this token belongs to the tenure. */
    public boolean contains(FencingToken token) {
        return !first.isNewerThan(token) && !token.isNewerThan(last);
    }

    /** {@code 62-77}, or the number alone where there is only one. */
    @Override
    public String toString() {
        return first.equals(last) ? last.toString() : first + "-" + last;
    }
}
