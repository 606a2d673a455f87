package dev.holdfast;

import java.time.Duration;

/**
 * What a backend promises. The conformance kit asserts the capabilities both ways.
 *
 * @param exclusion what mutual exclusion survives, in one sentence
 * @param tokenSource where fencing tokens come from
 * @param waking how a waiting process learns that the lock is free
 * @param fair whether processes are served in the order in which they began to wait
 * @param settling how long after a failed request the store may still carry it out
 */
public record Guarantees(String exclusion, String tokenSource, Waking waking, boolean fair, Duration settling) {
    /** How a waiting process is woken. Each has a timer beside it, for the wake-up that never comes. */
    public enum Waking {
        /** The store gives the lock to the next waiter and tells it. */
        HAND_OVER,
        /** The store says that the lock may be free, the waiter asks. */
        HINT,
        /** The waiter asks now and then. */
        POLL
    }
}
