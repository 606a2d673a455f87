package dev.holdfast;

import dev.holdfast.spi.Claim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is to be held. One instance is shared by all leases with the same options.
 *
 * @param heldAtMost bound on the time one lease may be held in all, however often it is renewed
 * @param heldAtLeast for how long the lock stays taken from the grant on, also if the lease is closed before
 * @param slots of a semaphore: how many it has; 0 for everything else
 * @param shared whether it is to be held beside others who read
 */
record Terms(
        Duration lease,
        boolean renewing,
        @Nullable Duration heldAtMost,
        @Nullable Duration heldAtLeast,
        Holder holder,
        int slots,
        boolean shared) {
    /** To be held alone. */
    Terms(Duration lease, Holder holder) {
        this(lease, true, null, null, holder, 0, false);
    }

    Terms ofSemaphore(int permits) {
        return new Terms(lease, renewing, heldAtMost, heldAtLeast, holder, permits, false);
    }

    Terms toRead() {
        return new Terms(lease, renewing, heldAtMost, heldAtLeast, holder, 0, true);
    }

    Claim share(Claim claim) {
        if (slots > 0) {
            return claim.forAnyOf(slots);
        }
        return shared ? claim.forReading() : claim;
    }

    /** As the SPI counts them. */
    int slotsOrOne() {
        return Math.max(1, slots);
    }

    Terms withLease(Duration other) {
        return new Terms(other, renewing, heldAtMost, heldAtLeast, holder, slots, shared);
    }

    Terms fixed() {
        return new Terms(lease, false, heldAtMost, heldAtLeast, holder, slots, shared);
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
        if (shared) {
            throw new UnsupportedOperationException(what + " cannot be held for at least " + Texts.of(minimum)
                    + " by readers: they share what their process holds, and it ends with the last of them. Hold the"
                    + " lease open for as long as is needed.");
        }
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
        return new Terms(lease, renewing, bound, heldAtLeast, holder, slots, shared);
    }

    Terms heldAtLeast(@Nullable Duration minimum) {
        return new Terms(lease, renewing, heldAtMost, minimum, holder, slots, shared);
    }

    Terms describedAs(String description) {
        return new Terms(
                lease,
                renewing,
                heldAtMost,
                heldAtLeast,
                new Holder(holder.host(), holder.pid(), description),
                slots,
                shared);
    }

    /**
     * Whether a tenure claimed on these terms can be handed to a waiter that asked for those. The bound and the
     * description belong to the single lease, not to the tenure. A fixed lease must be whole, and a tenure that was in
     * use no longer is.
     */
    boolean canShareTenureWith(Terms other) {
        return renewing && other.renewing && shared == other.shared && lease.equals(other.lease);
    }

    /** Whether a fresh tenure claimed on these terms is what somebody wants who asked for those. */
    boolean serve(Terms wanted) {
        return (canShareTenureWith(wanted) && slots == wanted.slots) || equals(wanted);
    }
}
