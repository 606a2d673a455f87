package dev.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is to be held. One instance is shared by all leases with the same options.
 *
 * @param heldAtMost bound on the time one lease may be held in all, however often it is renewed
 * @param heldAtLeast for how long the lock stays taken from the grant on, also if the lease is closed before
 */
record Terms(
        Duration lease,
        boolean renewing,
        @Nullable Duration heldAtMost,
        @Nullable Duration heldAtLeast,
        Holder holder) {
    Terms withLease(Duration other) {
        return new Terms(other, renewing, heldAtMost, heldAtLeast, holder);
    }

    Terms fixed() {
        return new Terms(lease, false, heldAtMost, heldAtLeast, holder);
    }

    /** @throws IllegalArgumentException if it must be held for longer than that */
    Terms withBound(Duration bound) {
        requireOrder(heldAtLeast, bound);
        return heldAtMost(bound);
    }

    /**
     * As users ask for it.
     *
     * @param what the lock or locks, for the message
     * @throws IllegalArgumentException if it may not be held for that long
     * @throws UnsupportedOperationException if the backend cannot do this
     */
    Terms withMinimum(Duration minimum, Guarantees guarantees, String what) {
        requireOrder(minimum, heldAtMost);
        if (!guarantees.heldAtLeast()) {
            throw new UnsupportedOperationException(what + " cannot be held for at least "
                    + Texts.of(minimum)
                    + ": this backend cannot keep a lock that was closed. Hold the lease open for as"
                    + " long as is needed, or use a backend whose guarantees include heldAtLeast.");
        }
        return heldAtLeast(minimum);
    }

    private static void requireOrder(@Nullable Duration atLeast, @Nullable Duration atMost) {
        if (atLeast != null && atMost != null && atLeast.compareTo(atMost) > 0) {
            throw new IllegalArgumentException(
                    "heldAtLeast (" + Texts.of(atLeast) + ") is longer than heldAtMost (" + Texts.of(atMost) + ")");
        }
    }

    Terms heldAtMost(Duration bound) {
        return new Terms(lease, renewing, bound, heldAtLeast, holder);
    }

    Terms heldAtLeast(@Nullable Duration minimum) {
        return new Terms(lease, renewing, heldAtMost, minimum, holder);
    }

    Terms describedAs(String description) {
        return new Terms(
                lease, renewing, heldAtMost, heldAtLeast, new Holder(holder.host(), holder.pid(), description));
    }

    /**
     * Whether a tenure claimed on these terms can be handed to a waiter that asked for those. The bound and the
     * description belong to the single lease, not to the tenure. A fixed lease must be whole, and a tenure that was in
     * use no longer is.
     */
    boolean canShareTenureWith(Terms other) {
        return renewing && other.renewing && lease.equals(other.lease);
    }

    /** Whether a fresh tenure claimed on these terms is what somebody wants who asked for those. */
    boolean serve(Terms wanted) {
        return canShareTenureWith(wanted) || equals(wanted);
    }
}
