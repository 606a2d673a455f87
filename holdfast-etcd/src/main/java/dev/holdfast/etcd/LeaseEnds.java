package dev.holdfast.etcd;

import dev.holdfast.spi.Environment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends leases that nobody renews. At the servers a key lasts as long as the lease it hangs on, which may be that of many others,
 * so the process that holds it is the one that takes it away. If the process is dead, the end of the servers' lease does.
 */
final class LeaseEnds {
    private static final long NEVER = Long.MIN_VALUE;

    private final Environment environment;
    private final Places places;
    private final Removals removals;
    /** When the next round is due. Most leases are equally long, so a new one seldom changes it. */
    private final AtomicLong dueNanos = new AtomicLong(NEVER);

    LeaseEnds(Environment environment, Places places, Removals removals) {
        this.environment = environment;
        this.places = places;
        this.removals = removals;
    }

    void watch(Place place) {
        arm(place.leaseEndsNanos);
    }

    private void arm(long endNanos) {
        long due = dueNanos.get();
        while (due == NEVER || endNanos - due < 0) {
            if (dueNanos.compareAndSet(due, endNanos)) {
                environment.schedule(Math.max(0, endNanos - environment.nanoTime()), () -> round(endNanos));
                return;
            }
            due = dueNanos.get();
        }
    }

    private void round(long endNanos) {
        // A round that an earlier one has taken over from does no harm either.
        dueNanos.compareAndSet(endNanos, NEVER);
        long now = environment.nanoTime();
        Place next = null;
        for (Place place : places.all()) {
            ServerLease lease = place.lease;
            if (!place.granted || lease == null) {
                continue;
            }
            if (now - place.leaseEndsNanos >= 0 && places.end(place, now)) {
                var unused = removals.removeForSure(place.key, place.revision, lease);
            } else if (next == null || place.leaseEndsNanos - next.leaseEndsNanos < 0) {
                next = place;
            }
        }
        if (next != null) {
            watch(next);
        }
    }
}
