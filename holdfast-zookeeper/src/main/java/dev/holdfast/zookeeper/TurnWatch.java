package dev.holdfast.zookeeper;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out when it is a claim's turn. Watches the one claim that it waits for, and nobody else. Whose turn it is holds the lock,
 * as soon as its session is proven to live.
 */
final class TurnWatch {
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    private final Nodes nodes;
    private final Places places;
    private final Environment environment;
    private final Events events;
    private final LeaseEnds leases;
    /** It is their turn, but the life of the session is not proven yet. */
    private final Set<Place> unproven = ConcurrentHashMap.newKeySet();

    TurnWatch(Nodes nodes, Places places, Environment environment, Events events) {
        this.nodes = nodes;
        this.places = places;
        this.environment = environment;
        this.events = events;
        this.leases = new LeaseEnds(environment, places, nodes);
    }

    /** Finds the one that it waits for and watches it. */
    CompletableFuture<Answer> findTurn(Place place, Place.Node node) {
        long sent = environment.nanoTime();
        return nodes.view(node).thenCompose(view -> {
            if (view.at() < 0) {
                place.forgetNode();
                nodes.removeWithRetries(node);
                return CompletableFuture.failedFuture(
                        new NotSentException("the place in the queue is gone: broken, or the session is over", null));
            }
            if (view.isTurn()) {
                return CompletableFuture.completedFuture(reached(place, node, sent));
            }
            return watch(place, node, view);
        });
    }

    private CompletableFuture<Answer> watch(Place place, Place.Node node, Nodes.View view) {
        int waitsFor = view.waitsFor();
        String front = node.parent() + "/" + view.queue().get(waitsFor).child();
        // Before the request: the watch may fire as soon as the server has seen it.
        place.lastInFront = waitsFor == 0 ? front : null;
        return nodes.watch(node.session(), front, place)
                .thenCompose(found -> found.isEmpty()
                        ? findTurn(place, node)
                        : CompletableFuture.completedFuture(new Answer.Busy(
                                retryAfter(node.session()),
                                true,
                                view.isTurn(waitsFor) ? found.get().holder() : null)));
    }

    /**
     * Something has happened to the one in front. If it was first in the queue and is gone, there is nothing left to ask: between
     * it and us were at most readers, and we are one, and nodes created later than ours stand behind it. In all other cases the
     * queue tells.
     */
    void onFrontEvent(Place place, Place.Node node, boolean turn) {
        if (!isCurrent(place, node) || place.granted) {
            return;
        }
        if (turn) {
            push(place, node, environment.nanoTime());
            return;
        }
        // A failure changes nothing: as soon as there is contact again, core asks for every claim.
        var unused = Futures.safely(() -> findTurn(place, node)).thenAccept(answer -> {
            if (answer instanceof Answer.Granted granted && isCurrent(place, node)) {
                events.granted(place.claim.key(), place.claim.owner(), granted.grant());
            }
        });
    }

    private boolean isCurrent(Place place, Place.Node node) {
        return node.equals(place.node) && places.get(place.claim.owner()) == place;
    }

    private void push(Place place, Place.Node node, long sinceNanos) {
        if (reached(place, node, sinceNanos) instanceof Answer.Granted granted) {
            events.granted(place.claim.key(), place.claim.owner(), granted.grant());
        }
    }

    /** It is its turn: that is the lock, if the session is proven to live. If not yet, it will be with a later beat. */
    Answer reached(Place place, Place.Node node, long sinceNanos) {
        Grant grant = place.grant(node, sinceNanos);
        if (grant.validUntilNanos() - environment.nanoTime() <= 0) {
            unproven.add(place);
            return new Answer.Busy(retryAfter(node.session()), true, null);
        }
        place.hold(environment.nanoTime() + place.claim.lease().toNanos());
        leases.watch(place);
        return new Answer.Granted(grant);
    }

    /** The session is proven for longer: grants the lock to those that waited for the proof. */
    void proven() {
        for (Place place : List.copyOf(unproven)) {
            Place.Node node = place.node;
            unproven.remove(place);
            if (node != null && isCurrent(place, node) && !place.granted) {
                push(place, node, environment.nanoTime());
            }
        }
    }

    static Duration retryAfter(Session session) {
        Duration half = session.timeout.dividedBy(2);
        return half.compareTo(LONGEST_RETRY) < 0 ? half : LONGEST_RETRY;
    }
}
