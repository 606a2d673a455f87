package dev.holdfast.jdbc.sql;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How often a waiter asks where nobody tells it. The longer the lock has been held by the same owner, the longer it is
 * likely to stay so: a lock that changes hands often is asked for often, one that is held for minutes rarely. Who is far
 * behind in the queue asks seldom however often the lock changes hands: otherwise a hundred waiters would leave no time
 * to the one whose turn it is.
 */
public record PollIntervals(Duration shortest, Duration longest) {
    /** Asks about five times while the age of a tenure doubles. */
    private static final int PER_AGE = 6;
    /** Those behind the first may ask more seldom than {@link #longest}, but not more seldom than this. */
    private static final long SELDOM_MICROS = 1_000_000;
    /** So many at the front ask as often as the first: they may be served in quick succession. */
    private static final int NEAR = 4;
    /** How many of the shortest intervals each waiter in front is expected to take, at least. */
    private static final int PER_PLACE = 2;

    public PollIntervals {
        if (shortest.isNegative() || shortest.isZero() || shortest.compareTo(longest) > 0) {
            throw new IllegalArgumentException("The shortest poll interval must be positive and not above the longest: "
                    + shortest + ", " + longest);
        }
    }

    /**
     * When to ask again.
     *
     * @param heldMicros for how long the lock has had its present owner
     * @param remainingMicros when it expires
     * @param lease of the claim: its claim window must not pass between two questions
     * @param ahead how many wait in front of this claim
     */
    public Duration next(long heldMicros, long remainingMicros, Duration lease, int ahead) {
        long window = Math.min(Steps.CLAIM_WINDOW_MICROS, micros(lease));
        long wanted = Math.max(micros(shortest) * (1 + (long) PER_PLACE * ahead), heldMicros / PER_AGE);
        long rarest = Math.max(micros(longest), Math.min(SELDOM_MICROS, micros(longest) * (1 + ahead / NEAR)));
        // When it expires whoever asks first hands it on; the others need not all come at that moment.
        long expiry = remainingMicros + micros(shortest) * ahead;
        long bounded = Math.min(Math.min(wanted, rarest), Math.min(window / 2, expiry));
        return Duration.of(Math.max(bounded, 1_000), ChronoUnit.MICROS);
    }

    public static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** Never less than that. */
    public static long microsRoundedUp(Duration duration) {
        long nanos = duration.toNanos();
        return nanos / 1_000 + (nanos % 1_000 == 0 ? 0 : 1);
    }
}
