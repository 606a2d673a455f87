package dev.holdfast;

import java.io.Serializable;
import java.time.Duration;

/**
 * How a lease ended that was not closed by its holder.
 *
 * @param lock what was held
 * @param why what happened, as a sentence for people
 */
public record Loss(LockKey lock, FencingToken token, Kind kind, Duration heldFor, String why) implements Serializable {
    /** Three endings are never mixed up: released is none of these. */
    public enum Kind {
        /** The time that was agreed on is over: a fixed lease ended, or the bound on holding was reached. */
        EXPIRED,
        /** It ended before its time: renewal failed for too long, an operator broke it, the store forgot it. */
        LOST
    }

    /** The name of what was lost. */
    public String name() {
        return lock.name();
    }

    @Override
    public String toString() {
        return "Lease of " + lock + " (token " + token + ") " + (kind == Kind.EXPIRED ? "expired" : "was lost")
                + " after " + Texts.of(heldFor) + ": " + why;
    }
}
