package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.LockKind;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.ReleasedButClaimFailedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Who of this process stands where. A claim is a node behind those that came before it; whoever waits for nobody
 * in front holds the lock; everybody else watches the one that it waits for.
 *
 * <p>The map's step for an owner decides who may act for it; nothing is sent inside one.
 */
final class ClaimQueue {
    /** Between two looks whether a queue that is used up has been served. */
    private static final Duration RETRY_ANEW = Duration.ofMillis(200);
    /** Before a look at the queue is repeated that a busy server did not carry out. */
    private static final Duration RETRY_THROTTLED = Duration.ofSeconds(1);

    private final SessionTracker tracker;
    private final Paths paths;
    private final Nodes nodes;
    private final ClaimCreator creator;
    private final Environment environment;
    private final Events events;
    private final Places places;
    private final Renumbering renumbering;
    private final TurnWatch turns;
    private final SlotTurns slotTurns;
    private final SlotAttempt slotAttempt;

    ClaimQueue(
            SessionTracker tracker,
            Paths paths,
            Nodes nodes,
            ClaimCreator creator,
            Renumbering renumbering,
            Places places,
            TurnWatch turns,
            SlotTurns slotTurns,
            SlotAttempt slotAttempt,
            Environment environment,
            Events events) {
        this.tracker = tracker;
        this.paths = paths;
        this.nodes = nodes;
        this.creator = creator;
        this.renumbering = renumbering;
        this.places = places;
        this.turns = turns;
        this.slotTurns = slotTurns;
        this.slotAttempt = slotAttempt;
        this.environment = environment;
        this.events = events;
    }

    // ---- asking

    CompletableFuture<Answer> acquire(Claim claim) {
        return places.ask(claim, listener(claim), place -> {
            Place.Node node = place.node;
            return node == null ? enter(place) : look(place, node);
        });
    }

    private Place.FrontListener listener(Claim claim) {
        return claim.kind() == LockKind.SEMAPHORE ? slotTurns::onFrontEvent : turns::onFrontEvent;
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
            return release(holding).thenCompose(released -> afterRelease(acquire(next)));
        }
        if (!places.remove(held)) {
            return afterRelease(acquire(next));
        }
        return places.ask(next, listener(next), place -> replace(place, old));
    }

    private CompletableFuture<Answer> replace(Place place, Place.Node old) {
        long sent = environment.nanoTime();
        CompletableFuture<Optional<ClaimCreator.Entry>> replaced =
                Futures.recover(creator.replace(old, place.claim).thenApply(Optional::of), failure -> {
                    // Nothing was carried out, because the node to be given back is gone, or there is no queue for
                    // slots.
                    if (Nodes.isMissing(failure)) {
                        return (old.isSlot() ? leave(old) : CompletableFuture.completedFuture(false))
                                .thenApply(removed -> Optional.empty());
                    }
                    nodes.removeWithRetries(old);
                    return CompletableFuture.failedFuture(failure);
                });
        return replaced.thenCompose(entry ->
                afterRelease(entry.isPresent() ? entered(place, old.session(), entry.get(), sent) : enter(place)));
    }

    /** The release is proven, whatever becomes of the claim. */
    private static CompletableFuture<Answer> afterRelease(CompletableFuture<Answer> claimed) {
        return Futures.mapFailure(claimed, failure -> new ReleasedButClaimFailedException(Errors.explain(failure)));
    }

    private CompletableFuture<Answer> enter(Place place) {
        return tracker.session()
                .thenCompose(session -> place.claim.kind() == LockKind.SEMAPHORE
                        ? enterForSlot(place, session)
                        : enterQueue(place, session));
    }

    private CompletableFuture<Answer> enterQueue(Place place, Session session) {
        if (renumbering.isNoted(place.claim.key())) {
            return beginAnew(place, session);
        }
        return place.claim.queue() ? queueUp(place, session) : tryOnce(place, session);
    }

    /** Stands in the queue only if there is no slot that nobody else waits for. */
    private CompletableFuture<Answer> enterForSlot(Place place, Session session) {
        long sent = environment.nanoTime();
        return slotAttempt.of(place, session).thenCompose(result -> {
            if (result.slot().isPresent()) {
                Place.Node slot = result.slot().get();
                session.guardFromNowOn();
                place.node = slot;
                return place.claim.queue()
                        ? CompletableFuture.completedFuture(turns.reached(place, slot, sent))
                        : grantOrLeave(place, slot, true, sent);
            }
            return place.claim.queue() ? enterQueue(place, session) : busy(session, result.taken());
        });
    }

    private CompletableFuture<Answer> busy(Session session, @Nullable String heldAt) {
        CompletableFuture<Optional<Holder>> holder =
                heldAt == null ? CompletableFuture.completedFuture(Optional.empty()) : nodes.holderAt(session, heldAt);
        return holder.thenApply(found -> new Answer.Busy(TurnWatch.retryAfter(session), false, found.orElse(null)));
    }

    /** The numbers of this queue are used up. Nobody queues any more: whoever asks first after the last one is served. */
    private CompletableFuture<Answer> beginAnew(Place place, Session session) {
        long sent = environment.nanoTime();
        return renumbering
                .enter(session, place.claim)
                .thenCompose(entry -> entry.isPresent()
                        ? entered(place, session, entry.get(), sent)
                        : CompletableFuture.completedFuture(new Answer.Busy(RETRY_ANEW, false, null)));
    }

    private CompletableFuture<Answer> queueUp(Place place, Session session) {
        long sent = environment.nanoTime();
        return creator.create(session, place.claim).thenCompose(entry -> entered(place, session, entry, sent));
    }

    /** Leaves no node behind if the lock is taken: looks first, and enters only if nobody has come since. */
    private CompletableFuture<Answer> tryOnce(Place place, Session session) {
        long sent = environment.nanoTime();
        return creator.createIfFree(session, place.claim).thenCompose(attempt -> {
            if (attempt.entry().isPresent()) {
                return entered(place, session, attempt.entry().get(), sent);
            }
            return busy(session, paths.claim(place.claim.key(), attempt.others().get(0)));
        });
    }

    private CompletableFuture<Answer> entered(Place place, Session session, ClaimCreator.Entry entry, long sentNanos) {
        Place.Node node = Place.Node.claim(session, entry.path(), entry.zxid());
        session.guardFromNowOn();
        if (Renumbering.isUsedUp(entry.sequence())) {
            renumbering.noteUsedUp(place.claim.key());
            return leave(node).thenCompose(removed -> beginAnew(place, session));
        }
        place.turnSinceZxid = entry.alone() ? entry.zxid() : 0;
        place.lastInFront = null;
        place.node = node;
        if (!place.claim.queue()) {
            return enteredWithoutWaiting(place, node, entry, sentNanos);
        }
        if (entry.alone() && place.claim.kind() != LockKind.SEMAPHORE) {
            return CompletableFuture.completedFuture(turns.reached(place, node, sentNanos));
        }
        return Futures.recover(findTurn(place, node), failure -> afterFailedLook(place, node, failure));
    }

    private CompletableFuture<Answer> findTurn(Place place, Place.Node node) {
        return place.claim.kind() == LockKind.SEMAPHORE ? slotTurns.findTurn(place, node) : turns.findTurn(place, node);
    }

    /**
     * The claim stands, and who is in front of it could not be read. Where that may be read later, the place is kept. Else
     * the claim is removed before its failure is told: to core a refusal means that there is nothing to withdraw.
     */
    private CompletableFuture<Answer> afterFailedLook(Place place, Place.Node node, Throwable failure) {
        if (!node.equals(place.node)) {
            return CompletableFuture.failedFuture(failure);
        }
        if (Errors.isSilence(failure)) {
            // With the next contact core asks again.
            return CompletableFuture.completedFuture(new Answer.Busy(TurnWatch.retryAfter(node.session()), true, null));
        }
        if (Errors.is(failure, Code.THROTTLEDOP)) {
            return CompletableFuture.completedFuture(new Answer.Busy(RETRY_THROTTLED, true, null));
        }
        return giveUp(place, node, failure);
    }

    private <T> CompletableFuture<T> giveUp(Place place, Place.Node node, Throwable failure) {
        place.node = null;
        return leave(node).handle((removed, ignored) -> failure).thenCompose(CompletableFuture::failedFuture);
    }

    private CompletableFuture<Answer> enteredWithoutWaiting(
            Place place, Place.Node node, ClaimCreator.Entry entry, long sentNanos) {
        CompletableFuture<Boolean> turn = entry.alone() || !place.claim.shared()
                ? CompletableFuture.completedFuture(entry.alone())
                : Futures.recover(
                        nodes.view(node).thenApply(Nodes.View::isTurn), failure -> giveUp(place, node, failure));
        return turn.thenCompose(reached -> grantOrLeave(place, node, reached, sentNanos));
    }

    private CompletableFuture<Answer> grantOrLeave(Place place, Place.Node node, boolean turn, long sentNanos) {
        if (turn && turns.reached(place, node, sentNanos) instanceof Answer.Granted granted) {
            return CompletableFuture.completedFuture(granted);
        }
        // Somebody came at the same moment, or the session is not proven to live; this one does not wait for either.
        place.node = null;
        return leave(node)
                .thenCompose(removed -> turn
                        ? CompletableFuture.failedFuture(new NotSentException(
                                "the ZooKeeper session is too young to be trusted; it will be in a few seconds", null))
                        : CompletableFuture.completedFuture(
                                new Answer.Busy(TurnWatch.retryAfter(node.session()), false, null)));
    }

    /** Core asks for the same claim again. */
    private CompletableFuture<Answer> look(Place place, Place.Node node) {
        if (node.session().isOver()) {
            place.forgetNode();
            return enter(place);
        }
        if (tracker.connected() != node.session()) {
            return CompletableFuture.failedFuture(new NotSentException("contact with ZooKeeper is interrupted", null));
        }
        CompletableFuture<Answer> seen =
                place.granted || node.isSlot() ? lookAgain(place, node) : findTurn(place, node);
        // Whatever fails here was a look at what is there; the place is kept.
        return Futures.mapFailure(seen, Errors::harmless);
    }

    /** Granted before, and asked for again: still its turn, or the claim begins anew. */
    private CompletableFuture<Answer> lookAgain(Place place, Place.Node node) {
        long sent = environment.nanoTime();
        return node.session().upToDate(node.parent(), () -> nodes.isHeld(node)).thenCompose(held -> {
            if (held) {
                return CompletableFuture.completedFuture(turns.reached(place, node, sent));
            }
            place.forgetNode();
            nodes.removeWithRetries(node);
            return enter(place);
        });
    }

    // ---- leaving

    CompletableFuture<Boolean> release(Holding holding) {
        Place place = places.get(holding.owner());
        if (place == null) {
            return tracker.session().thenCompose(session -> nodes.removeAll(session, holding.key(), holding.owner()));
        }
        Place.Node node = place.node;
        if (node == null
                || !place.isHeld(node, holding)
                || !places.remove(place)
                || node.session().isOver()) {
            return CompletableFuture.completedFuture(false);
        }
        return leave(node);
    }

    private CompletableFuture<Boolean> leave(Place.Node node) {
        // Nobody may be able to name this node later on, and it does not expire by itself.
        return nodes.remove(node).whenComplete((removed, failure) -> {
            if (failure != null) {
                nodes.removeWithRetries(node);
            }
        });
    }

    CompletableFuture<Void> withdraw(String key, Owner owner) {
        Place place = places.get(owner);
        if (place == null) {
            return tracker.session()
                    .thenCompose(session -> nodes.removeAll(session, key, owner))
                    .thenAccept(removed -> {});
        }
        CompletableFuture<Answer> earlier = places.asking(owner);
        if (earlier != null) {
            return earlier.handle((answer, failure) -> answer).thenCompose(answer -> withdraw(key, owner));
        }
        Place.Node node = place.node;
        if (!places.remove(place) || node == null || node.session().isOver()) {
            return CompletableFuture.allOf();
        }
        return (place.unsure ? nodes.removeAll(node.session(), key, owner) : leave(node)).thenAccept(removed -> {});
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
            events.lost(place.claim.key(), place.claim.owner(), "its ZooKeeper session is over");
        });
    }
}
