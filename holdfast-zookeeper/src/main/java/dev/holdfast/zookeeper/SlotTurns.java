package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.NotSentException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when a claim in the queue can be given a slot of its semaphore, and takes it: that is one step with leaving the
 * queue.
 *
 * <p>Those who wait for the same slots watch the one in front of them, and only the first of them watches the slots. So a slot
 * that becomes free wakes one of them, and that one wakes the next by leaving the queue. Whoever may have more slots than all in
 * front of it watches the slots as well: one may become free that the others cannot have.
 */
final class SlotTurns {
    /** How often others may be faster before the next look is left to core. */
    private static final int MOST_TRIES = 10;

    /**
     * Sooner than for locks: where numbers of slots differ, a slot can be left over by one that nobody here watches, and ends
     * before it has taken it.
     */
    private static final Duration RETRY = Duration.ofSeconds(2);

    private static final Duration RETRY_OUTRUN = Duration.ofMillis(200);

    private final Slots slots;
    private final Paths paths;
    private final Nodes nodes;
    private final Places places;
    private final TurnWatch turns;
    private final Environment environment;
    private final Events events;

    SlotTurns(
            Slots slots,
            Paths paths,
            Nodes nodes,
            Places places,
            TurnWatch turns,
            Environment environment,
            Events events) {
        this.slots = slots;
        this.paths = paths;
        this.nodes = nodes;
        this.places = places;
        this.turns = turns;
        this.environment = environment;
        this.events = events;
    }

    /**
     * A look at the semaphore for one claim.
     *
     * @param forCore core waits for the answer, and wants to know who has the slots
     */
    private record Look(Place place, Place.Node claim, boolean forCore, int triesLeft, long sentNanos) {
        Session session() {
            return claim.session();
        }

        String key() {
            return place.claim.key();
        }

        int most() {
            return place.claim.slots();
        }
    }

    /** Takes a slot if there is one for this claim. If not, watches what it waits for. */
    CompletableFuture<Answer> findTurn(Place place, Place.Node claim) {
        return look(place, claim, true, MOST_TRIES);
    }

    /** One in front has left the queue, or a slot was taken or became free. */
    void onFrontEvent(Place place, Place.Node claim, boolean turn) {
        // A failure changes nothing: core asks again after a few seconds, and as soon as there is contact again.
        var unused = places.askAgain(
                        place,
                        () -> claim.equals(place.node) && !claim.isSlot(),
                        () -> Futures.mapFailure(look(place, claim, false, MOST_TRIES), Errors::harmless))
                .thenAccept(answer -> {
                    if (answer instanceof Answer.Granted granted) {
                        events.granted(place.claim.key(), place.claim.owner(), granted.grant());
                    }
                });
    }

    private CompletableFuture<Answer> look(Place place, Place.Node claim, boolean forCore, int triesLeft) {
        Look look = new Look(place, claim, forCore, triesLeft, environment.nanoTime());
        CompletableFuture<SemaphoreView> seen = place.unsure
                ? look.session().upToDate(claim.parent(), () -> slots.look(look.session(), look.key()))
                : slots.look(look.session(), look.key());
        return seen.thenCompose(view -> {
            Optional<TakenSlot> own = view.takenBy(place.claim.owner());
            return own.isPresent() ? takenBefore(look, view, own.get()) : takeOrWatch(look, view);
        });
    }

    private CompletableFuture<Answer> lookAgain(Look look) {
        return look.triesLeft() > 0
                ? look(look.place(), look.claim(), look.forCore(), look.triesLeft() - 1)
                : CompletableFuture.completedFuture(new Answer.Busy(RETRY_OUTRUN, true, null));
    }

    private CompletableFuture<Answer> takeOrWatch(Look look, SemaphoreView view) {
        int at = view.placeOf(look.claim());
        if (at < 0) {
            look.place().forgetNode();
            return CompletableFuture.failedFuture(
                    new NotSentException("the place in the queue is gone: broken, or the session is over", null));
        }
        look.place().unsure = false;
        int slot = view.slotFor(at, look.most());
        if (slot >= 0) {
            return take(look, view, slot);
        }
        int servedBefore = view.servedBefore(at, look.most());
        return servedBefore >= 0 ? watch(look, view, servedBefore, null) : watchSlots(look, view, at);
    }

    // ---- taking

    private CompletableFuture<Answer> take(Look look, SemaphoreView view, int slot) {
        Place place = look.place();
        // Until the answer is there it may stand in either of two places.
        place.unsure = true;
        CompletableFuture<Slots.Taken> taking = slots.take(look.session(), place.claim, slot, view, look.claim());
        CompletableFuture<Optional<Slots.Taken>> taken = Futures.recover(taking.thenApply(Optional::of), failure -> {
            place.unsure = !(failure instanceof KeeperException) || Errors.isSilence(failure);
            return Slots.isOutrun(failure)
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure);
        });
        return taken.thenCompose(outcome -> {
            if (outcome.isEmpty()) {
                return lookAgain(look);
            }
            Slots.Taken got = outcome.get();
            return got.proven() ? hold(look, got.node()) : recheck(look, got.node());
        });
    }

    private CompletableFuture<Answer> hold(Look look, Place.Node slot) {
        Place place = look.place();
        if (places.get(place.claim.owner()) != place) {
            nodes.removeWithRetries(slot);
            return CompletableFuture.failedFuture(new NotSentException("the claim was taken back", null));
        }
        place.node = slot;
        place.unsure = false;
        return CompletableFuture.completedFuture(turns.reached(place, slot, look.sentNanos()));
    }

    /** Taken, but by a view that was too old to prove it. */
    private CompletableFuture<Answer> recheck(Look look, Place.Node slot) {
        look.place().node = slot;
        return lookAgain(look);
    }

    /** A request whose answer was lost has been carried out. */
    private CompletableFuture<Answer> takenBefore(Look look, SemaphoreView view, TakenSlot own) {
        return slots.held(look.session(), look.key(), view, own).thenCompose(held -> {
            if (held.isEmpty()) {
                return look.session().delete(paths.slot(look.key(), own)).thenCompose(removed -> lookAgain(look));
            }
            if (view.placeOf(look.claim()) >= 0) {
                nodes.removeWithRetries(look.claim());
            }
            return hold(look, held.get());
        });
    }

    // ---- watching

    private CompletableFuture<Answer> watchSlots(Look look, SemaphoreView view, int at) {
        return slots.watch(look.session(), look.key(), look.place()).thenCompose(listed -> {
            if (listed.isEmpty()) {
                return lookAgain(look);
            }
            SemaphoreView now = view.with(listed.get());
            int slot = now.slotFor(at, look.most());
            if (slot >= 0) {
                return take(look, now, slot);
            }
            int front = now.widestInFront(at);
            return holder(look, now)
                    .thenCompose(holder ->
                            front >= 0 ? watch(look, now, front, holder.orElse(null)) : busy(holder.orElse(null)));
        });
    }

    private CompletableFuture<Optional<Holder>> holder(Look look, SemaphoreView view) {
        return look.forCore() && !view.taken().isEmpty()
                ? nodes.holderAt(
                        look.session(), paths.slot(look.key(), view.taken().get(0)))
                : CompletableFuture.completedFuture(Optional.empty());
    }

    private CompletableFuture<Answer> watch(Look look, SemaphoreView view, int front, @Nullable Holder heldBy) {
        String path = look.claim().parent() + "/" + view.waiting().get(front).child();
        return nodes.watch(look.session(), path, look.place())
                .thenCompose(found -> found.isEmpty() ? lookAgain(look) : busy(heldBy));
    }

    private static CompletableFuture<Answer> busy(@Nullable Holder heldBy) {
        return CompletableFuture.completedFuture(new Answer.Busy(RETRY, true, heldBy));
    }
}
