package dev.holdfast.spi;

import java.time.Duration;

/** Lease arithmetic. Every rounding goes one way: we may only underestimate what is left. */
public final class Validity {
    private static final long FIXED_DRIFT_NANOS = 2_000_000;

    private Validity() {}

    /**
     * Until when a lease may be trusted.
     *
     * @param sentNanos read <em>before</em> the request was sent. The server starts the lease later than this
     */
    public static long until(long sentNanos, Duration lease) {
        return sentNanos + lease.toNanos() - driftNanos(lease);
    }

    /** How far two clocks may drift apart over that time: one percent, and two milliseconds for their granularity. */
    public static long driftNanos(Duration lease) {
        return lease.toNanos() / 100 + FIXED_DRIFT_NANOS;
    }
}
