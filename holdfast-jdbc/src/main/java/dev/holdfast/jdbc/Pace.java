package dev.holdfast.jdbc;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How often a waiter asks where nobody tells it. The longer the lock has been held by the same owner, the longer it is
 * likely to stay so: a lock that changes hands often is asked for often, one that is held for minutes rarely.
 */
record Pace(Duration shortest, Duration longest) {
    /** Asks about five times while the age of a tenure doubles. */
    private static final int PER_AGE = 6;

    Pace {
        if (shortest.isNegative() || shortest.isZero() || shortest.compareTo(longest) > 0) {
            throw new IllegalArgumentException("The shortest poll interval must be positive and not above the longest: "
                    + shortest + ", " + longest);
        }
    }

    /**
     * @param heldMicros for how long the lock has had its present owner
     * @param remainingMicros when it expires
     * @param lease of the claim: its claim window must not pass between two questions
     */
    Duration next(long heldMicros, long remainingMicros, Duration lease) {
        long window = Math.min(Steps.CLAIM_WINDOW_MICROS, micros(lease));
        long wished = Math.max(micros(shortest), heldMicros / PER_AGE);
        long bounded = Math.min(Math.min(wished, micros(longest)), Math.min(window / 2, remainingMicros));
        return Duration.of(Math.max(bounded, 1_000), ChronoUnit.MICROS);
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
