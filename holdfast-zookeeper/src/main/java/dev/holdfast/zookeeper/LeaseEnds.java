package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends leases that nobody renews. At the servers a node lasts as long as its session, so the process that holds it is the
 * one that takes it away. If the process is dead, the end of the session does.
 */
final class LeaseEnds {
    private static final long NEVER = Long.MIN_VALUE;

    private final Environment environment;
    private final Places places;
    private final Nodes nodes;
    /** When the next round is due. Most leases are equally long, so a new one seldom changes it. */
    private final AtomicLong dueNanos = new AtomicLong(NEVER);

    LeaseEnds(Environment environment, Places places, Nodes nodes) {
        this.environment = environment;
        this.places = places;
        this.nodes = nodes;
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
            Place.Node node = place.node;
            if (!place.granted || node == null) {
                continue;
            }
            if (now - place.leaseEndsNanos >= 0 && places.end(place, now)) {
                nodes.removeWithRetries(node);
            } else if (next == null || place.leaseEndsNanos - next.leaseEndsNanos < 0) {
                next = place;
            }
        }
        if (next != null) {
            watch(next);
        }
    }
}
