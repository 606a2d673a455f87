package dev.holdfast;

import java.time.Duration;
import java.util.Objects;

/** What a duration may be, and the message for one that may not. */
final class Durations {
    /** Nobody waits longer than this for a lock; it also keeps the arithmetic in nanoseconds far from overflow. */
    static final Duration LONGEST_WAIT = Duration.ofDays(365);

    static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    private Durations() {}

    static Duration requireWait(Duration wait, String what) {
        return require(wait, what, ". To wait without a limit use the method that takes none.");
    }

    static Duration requireNotNegative(Duration duration, String what) {
        return require(duration, what, "");
    }

    private static Duration require(Duration duration, String what, String hint) {
        Objects.requireNonNull(duration, what + " must not be null");
        if (duration.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative: " + duration);
        }
        if (duration.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException(what + " is longer than a year: " + duration + hint);
        }
        return duration;
    }

    static Duration requirePositive(Duration duration, String what) {
        requireNotNegative(duration, what);
        if (duration.isZero()) {
            throw new IllegalArgumentException(what + " must be longer than zero");
        }
        return duration;
    }

    static Duration requireLease(Duration lease, Duration longest) {
        requireNotNegative(lease, "lease");
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException(
                    "A lease of " + lease + " is too short to be worth anything: the clock drift"
                            + " allowance alone is 2 ms. The shortest accepted is " + Texts.of(SHORTEST_LEASE) + ".");
        }
        if (lease.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "A lease of " + Texts.of(lease) + " is longer than the longest accepted, "
                            + Texts.of(longest)
                            + ": after a crash the lock would stay taken for that long. A renewing lease can be"
                            + " held for any time with a short lease; to allow longer ones, set maxLease on the builder.");
        }
        return lease;
    }
}
