package dev.holdfast.zookeeper;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who of this process stands where. A claim is a node behind those that came before it; whoever is first holds the lock;
 * everybody watches the one in front and nobody else.
 *
 * <p>The map's step for an owner decides who may act for it; nothing is sent inside one.
 */
final class Desk {
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    private final Link link;
    private final Nodes nodes;
    private final Environment environment;
    private final Events events;
    private final Leases leases;
    private final Places places;
    /** First in line, but the life of the session is not proven yet. */
    private final Set<Place> unproven = ConcurrentHashMap.newKeySet();

    Desk(Link link, Nodes nodes, Places places, Environment environment, Events events) {
        this.link = link;
        this.places = places;
        this.nodes = nodes;
        this.environment = environment;
        this.events = events;
        this.leases = new Leases(environment, places, nodes);
    }

    // ---- asking

    CompletableFuture<Answer> acquire(Claim claim) {
        return places.ask(claim, this::rung, place -> {
            Place.Node node = place.node;
            return node == null ? enter(place) : look(place, node);
        });
    }

    /** One transaction for both, where the claim may wait: otherwise one after the other. */
    CompletableFuture<Answer> releaseAndAcquire(Holding holding, Claim next) {
        Place held = places.get(holding.owner());
        Place.Node old = held == null ? null : held.node;
        if (held == null
                || old == null
                || !next.queue()
                || !held.isHeld(old, holding)
                || old.session().isOver()) {
            return release(holding).thenCompose(released -> acquire(next));
        }
        if (!places.remove(held)) {
            return acquire(next);
        }
        return places.ask(next, this::rung, place -> {
            long sent = environment.nanoTime();
            CompletableFuture<Nodes.Entry> replaced = nodes.replace(old, held.contended, next);
            return Stages.recover(
                    replaced.thenCompose(entry -> entered(place, old.session(), entry, sent)), failure -> {
                        if (place.node == null && Nodes.isMissing(failure)) {
                            return enter(place);
                        }
                        nodes.removeSurely(old);
                        return CompletableFuture.failedFuture(failure);
                    });
        });
    }

    private CompletableFuture<Answer> enter(Place place) {
        return link.session()
                .thenCompose(session -> place.claim.queue() ? queueUp(place, session) : tryOnce(place, session));
    }

    private CompletableFuture<Answer> queueUp(Place place, Session session) {
        long sent = environment.nanoTime();
        return nodes.create(session, place.claim).thenCompose(entry -> entered(place, session, entry, sent));
    }

    /** Leaves no node behind if the lock is taken: looks first, and enters only if nobody has come since. */
    private CompletableFuture<Answer> tryOnce(Place place, Session session) {
        long sent = environment.nanoTime();
        return nodes.createIfFree(session, place.claim).thenCompose(attempt -> {
            if (attempt.entry().isPresent()) {
                return entered(place, session, attempt.entry().get(), sent);
            }
            return nodes.holderOf(session, place.claim.name(), attempt.others().get(0))
                    .thenApply(holder -> new Answer.Busy(retryAfter(session), false, holder.orElse(null)));
        });
    }

    private CompletableFuture<Answer> entered(Place place, Session session, Nodes.Entry entry, long sentNanos) {
        Place.Node node = new Place.Node(session, entry.path(), entry.sequence(), entry.zxid());
        place.node = node;
        if (!place.claim.queue()) {
            return enteredWithoutWaiting(place, node, entry, sentNanos);
        }
        if (entry.alone()) {
            return CompletableFuture.completedFuture(first(place, node, sentNanos));
        }
        place.contended = true;
        // The place is ours even if we cannot see who is in front; with the next contact core asks again.
        return Stages.recover(
                stand(place, node),
                failure -> node.equals(place.node) && Errors.isSilence(failure)
                        ? CompletableFuture.completedFuture(new Answer.Busy(retryAfter(session), true, null))
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Answer> enteredWithoutWaiting(
            Place place, Place.Node node, Nodes.Entry entry, long sentNanos) {
        if (entry.alone() && first(place, node, sentNanos) instanceof Answer.Granted granted) {
            return CompletableFuture.completedFuture(granted);
        }
        // Somebody came at the same moment, or the session is not proven to live; this one does not wait for either.
        place.node = null;
        return leave(node, false)
                .thenCompose(removed -> entry.alone()
                        ? CompletableFuture.failedFuture(new NotSentException(
                                "the ZooKeeper session is too young to be trusted; it will be in a few seconds", null))
                        : CompletableFuture.completedFuture(new Answer.Busy(retryAfter(node.session()), false, null)));
    }

    /** The same claim again. */
    private CompletableFuture<Answer> look(Place place, Place.Node node) {
        if (node.session().isOver()) {
            forget(place);
            return enter(place);
        }
        if (link.connected() != node.session()) {
            return CompletableFuture.failedFuture(new NotSentException("contact with ZooKeeper is interrupted", null));
        }
        CompletableFuture<Answer> seen;
        if (place.granted) {
            long sent = environment.nanoTime();
            seen = Stages.recover(
                    nodes.confirm(List.of(node)).thenApply(confirmed -> first(place, node, sent)), failure -> {
                        if (!Nodes.isMissing(failure)) {
                            return CompletableFuture.failedFuture(failure);
                        }
                        forget(place);
                        return enter(place);
                    });
        } else {
            seen = stand(place, node);
        }
        // Whatever fails here was a look at what is there; the place is kept.
        return Stages.mapFailure(seen, Errors::harmless);
    }

    private static void forget(Place place) {
        place.node = null;
        place.granted = false;
    }

    // ---- standing in line

    /** Finds the one in front and watches it. */
    private CompletableFuture<Answer> stand(Place place, Place.Node node) {
        Session session = node.session();
        return nodes.line(session, place.claim.name()).thenCompose(line -> {
            int at = indexOf(line, node);
            if (at < 0) {
                forget(place);
                return CompletableFuture.failedFuture(
                        new NotSentException("the place in the queue is gone: broken, or the session is over", null));
            }
            if (at == 0) {
                return CompletableFuture.completedFuture(first(place, node, environment.nanoTime()));
            }
            place.contended = true;
            boolean holderInFront = at == 1;
            return nodes.watch(session, place.claim.name(), line.get(at - 1), place)
                    .thenCompose(front -> front.isEmpty()
                            ? stand(place, node)
                            : CompletableFuture.completedFuture(new Answer.Busy(
                                    retryAfter(session),
                                    true,
                                    holderInFront ? front.get().holder() : null)));
        });
    }

    private static int indexOf(List<Spot> line, Place.Node node) {
        for (int i = 0; i < line.size(); i++) {
            if (node.path().endsWith("/" + line.get(i).child())) {
                return i;
            }
        }
        return -1;
    }

    /** The one in front has gone. If it said that it held the lock and gave it back, there is nothing left to ask. */
    private void rung(Place place, Place.Node node, boolean released) {
        if (!isCurrent(place, node) || place.granted) {
            return;
        }
        if (released) {
            push(place, node, environment.nanoTime());
            return;
        }
        // A failure is no matter: as soon as there is contact again, core asks for every claim.
        var unused = Stages.safely(() -> stand(place, node)).thenAccept(answer -> {
            if (answer instanceof Answer.Granted granted && isCurrent(place, node)) {
                events.granted(place.claim.name(), place.claim.owner(), granted.grant());
            }
        });
    }

    private boolean isCurrent(Place place, Place.Node node) {
        return node.equals(place.node) && places.get(place.claim.owner()) == place;
    }

    private void push(Place place, Place.Node node, long sinceNanos) {
        if (first(place, node, sinceNanos) instanceof Answer.Granted granted) {
            events.granted(place.claim.name(), place.claim.owner(), granted.grant());
        }
    }

    /** First in line: that is the lock, if the session is proven to live. If not yet, it will be with a later beat. */
    private Answer first(Place place, Place.Node node, long sinceNanos) {
        Grant grant = place.grant(node, sinceNanos);
        if (grant.validUntilNanos() - environment.nanoTime() <= 0) {
            unproven.add(place);
            return new Answer.Busy(retryAfter(node.session()), true, null);
        }
        place.hold(environment.nanoTime() + place.claim.lease().toNanos());
        leases.watch(place);
        return new Answer.Granted(grant);
    }

    /** More is known of the session. */
    void proven() {
        for (Place place : List.copyOf(unproven)) {
            Place.Node node = place.node;
            unproven.remove(place);
            if (node != null && isCurrent(place, node) && !place.granted) {
                push(place, node, environment.nanoTime());
            }
        }
    }

    private static Duration retryAfter(Session session) {
        Duration half = session.timeout.dividedBy(2);
        return half.compareTo(LONGEST_RETRY) < 0 ? half : LONGEST_RETRY;
    }

    // ---- leaving

    CompletableFuture<Boolean> release(Holding holding) {
        Place place = places.get(holding.owner());
        if (place == null) {
            return link.session().thenCompose(session -> nodes.removeAll(session, holding.name(), holding.owner()));
        }
        Place.Node node = place.node;
        if (node == null
                || !place.isHeld(node, holding)
                || !places.remove(place)
                || node.session().isOver()) {
            return CompletableFuture.completedFuture(false);
        }
        return leave(node, place.contended);
    }

    private CompletableFuture<Boolean> leave(Place.Node node, boolean contended) {
        // Nobody may be able to name this node later on, and it does not expire by itself.
        return (contended ? nodes.giveBack(node) : nodes.remove(node)).whenComplete((removed, failure) -> {
            if (failure != null) {
                nodes.removeSurely(node);
            }
        });
    }

    CompletableFuture<Void> withdraw(String name, Owner owner) {
        Place place = places.get(owner);
        if (place == null) {
            return link.session()
                    .thenCompose(session -> nodes.removeAll(session, name, owner))
                    .thenAccept(removed -> {});
        }
        CompletableFuture<Answer> earlier = places.asking(owner);
        if (earlier != null) {
            return earlier.handle((answer, failure) -> answer).thenCompose(answer -> withdraw(name, owner));
        }
        Place.Node node = place.node;
        if (!places.remove(place) || node == null || node.session().isOver()) {
            return CompletableFuture.allOf();
        }
        return leave(node, false).thenAccept(removed -> {});
    }

    /** The session is over, and with it everything that stood in it. */
    void ended(Session session) {
        places.all().forEach(place -> {
            Place.Node node = place.node;
            if (node == null || node.session() != session) {
                return;
            }
            // If it is being asked for, that question finds out by itself.
            if (places.asking(place.claim.owner()) == null) {
                places.remove(place);
            }
            events.lost(place.claim.name(), place.claim.owner(), "its ZooKeeper session is over");
        });
    }
}
