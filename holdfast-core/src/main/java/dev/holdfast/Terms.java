package dev.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is to be held. One instance is shared by all leases with the same options.
 *
 * @param heldAtMost bound on the time one lease may be held in all, however often it is renewed
 */
record Terms(Duration lease, boolean renewing, @Nullable Duration heldAtMost, Holder holder) {
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
