package dev.holdfast.spi;

import dev.holdfast.Holder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a claim. Both are proofs. */
public sealed interface Answer {
    /** The claim is a tenure now. */
    record Granted(Grant grant) implements Answer {}

    /**
     * Somebody else holds the lock, or all slots, and this claim holds nothing.
     *
     * @param retryAfter when to ask again even if no wake-up came: the lock's remaining time (of several holders', the
     *     shortest), or the poll interval.
     *     Where the claim is queued core takes it as it is; otherwise core spreads it by a random delay
     * @param queued whether the claim now has a place in the backend's queue
     * @param heldBy who holds it, where the backend can tell; one of them, if there are several
     */
    record Busy(
            Duration retryAfter, boolean queued, @Nullable Holder heldBy) implements Answer {}
}
