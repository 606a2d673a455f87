package dev.holdfast.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The end of a backend: what waits is taken back, what is held is left to expire. */
final class Closing {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private Closing() {}

    static void of(@Nullable Session session, Connection connection, Desk desk, Nodes nodes) {
        List<Place> held = new ArrayList<>();
        List<CompletableFuture<Boolean>> leaving = new ArrayList<>();
        for (Place place : desk.places.values()) {
            Place.Node node = place.node;
            if (node == null || node.session() != session || session.isOver()) {
                continue;
            }
            if (place.granted) {
                held.add(place);
            } else {
                leaving.add(nodes.remove(node));
            }
        }
        desk.places.clear();
        if (!connection.isOurs()) {
            await(leaving);
            held.forEach(place -> endWithItsLease(place, desk, nodes));
        } else if (session != null && !held.isEmpty() && session.handle instanceof Handles.Handle handle) {
            // A session that is closed takes its nodes with it, and their holders may still be working.
            await(leaving);
            handle.abandon();
        }
        if (session != null) {
            session.failPending(new IllegalStateException("The ZooKeeper backend was closed"));
        }
        if (connection.isOurs()) {
            connection.curator().close();
        }
    }

    /**
     * The session goes on without us, so the node would too. Our own timers end with us; the JDK's common one does not.
     */
    private static void endWithItsLease(Place place, Desk desk, Nodes nodes) {
        Place.Node node = place.node;
        if (node != null) {
            long delay = Math.max(0, place.leaseEndsNanos - desk.now());
            CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS).execute(() -> {
                var unused = nodes.remove(node);
            });
        }
    }

    private static void await(List<CompletableFuture<Boolean>> leaving) {
        try {
            CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new))
                    .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            // They end with the session.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
