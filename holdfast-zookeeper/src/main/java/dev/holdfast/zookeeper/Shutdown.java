package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Closes a backend: claims that wait are removed, those that hold a lock are left to expire. */
final class Shutdown {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private Shutdown() {}

    static void of(
            @Nullable Session session, Connection connection, Places places, Nodes nodes, Environment environment) {
        places.beginClosing();
        if (!connection.isOurs() || places.all().stream().anyMatch(place -> place.granted)) {
            // The session goes on, so whatever is about to be created has to be known before it can be removed.
            await(places.asked());
        }
        List<Place> held = new ArrayList<>();
        List<CompletableFuture<?>> leaving = new ArrayList<>();
        for (Place place : places.all()) {
            Place.Node node = place.node;
            if (node == null || node.session() != session || session.isOver()) {
                continue;
            }
            if (place.granted) {
                held.add(place);
            } else {
                leaving.add(
                        place.unsure
                                ? nodes.removeAll(session, place.claim.key(), place.claim.owner())
                                : nodes.remove(node));
            }
        }
        places.clear();
        if (!connection.isOurs()) {
            await(leaving);
            held.forEach(place -> endWithItsLease(place, nodes, environment));
        } else if (session != null && !held.isEmpty() && session.handle instanceof HandleFactory.Handle handle) {
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
    private static void endWithItsLease(Place place, Nodes nodes, Environment environment) {
        Place.Node node = place.node;
        if (node != null) {
            long delay = Math.max(0, place.leaseEndsNanos - environment.nanoTime());
            CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS).execute(() -> {
                var unused = nodes.remove(node);
            });
        }
    }

    private static void await(List<? extends CompletableFuture<?>> leaving) {
        try {
            CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new))
                    .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            // What stays ends with the session.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
