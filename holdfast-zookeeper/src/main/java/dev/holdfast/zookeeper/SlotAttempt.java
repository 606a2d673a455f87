package dev.holdfast.zookeeper;

import dev.holdfast.spi.NotSentException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes a slot of a semaphore for a claim that does not stand in the queue, if there is one that nobody waits for. */
final class SlotAttempt {
    /** For a claim that can queue instead: one more, because nodes may be missing that the first one makes. */
    private static final int MORE_BEFORE_QUEUEING = 1;

    private static final int MORE_WITHOUT_QUEUE = 20;

    /**
     * What came of it.
     *
     * @param slot empty: all slots are taken, or others wait for them
     * @param taken one that is taken, by whomever; null if that is not known
     */
    record Result(Optional<Place.Node> slot, @Nullable String taken) {}

    private final Slots slots;
    private final Paths paths;

    SlotAttempt(Slots slots, Paths paths) {
        this.slots = slots;
        this.paths = paths;
    }

    /**
     * Two requests if there is a free slot. What is seen may be old: a claim that can queue does so then, to one that cannot it
     * is said after a second look.
     */
    CompletableFuture<Result> of(Place place, Session session) {
        boolean queues = place.claim.queue();
        return attempt(place, session, false, queues ? MORE_BEFORE_QUEUEING : MORE_WITHOUT_QUEUE);
    }

    private CompletableFuture<Result> attempt(Place place, Session session, boolean upToDate, int triesLeft) {
        String key = place.claim.key();
        CompletableFuture<SemaphoreView> seen =
                upToDate ? session.upToDate(paths.base(), () -> slots.look(session, key)) : slots.look(session, key);
        return seen.thenCompose(view -> {
            Optional<TakenSlot> own = view.takenBy(place.claim.owner());
            if (own.isPresent()) {
                return takenBefore(place, session, view, own.get(), triesLeft);
            }
            int slot = view.slotFor(view.waiting().size(), place.claim.slots());
            if (slot >= 0) {
                return take(place, session, view, slot, triesLeft);
            }
            if (!upToDate && !place.claim.queue()) {
                return attempt(place, session, true, triesLeft);
            }
            String taken =
                    view.taken().isEmpty() ? null : paths.slot(key, view.taken().get(0));
            return CompletableFuture.completedFuture(new Result(Optional.empty(), taken));
        });
    }

    private CompletableFuture<Result> take(Place place, Session session, SemaphoreView view, int slot, int triesLeft) {
        CompletableFuture<Slots.Taken> taking = slots.take(session, place.claim, slot, view, null);
        CompletableFuture<Optional<Slots.Taken>> taken = Futures.recover(
                taking.thenApply(Optional::of),
                failure -> Slots.isOutrun(failure)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure));
        return taken.thenCompose(outcome -> {
            if (outcome.isPresent() && outcome.get().proven()) {
                return CompletableFuture.completedFuture(
                        new Result(Optional.of(outcome.get().node()), null));
            }
            if (outcome.isEmpty() && view.slots() == null) {
                slots.makeParents(session, place.claim.key());
            }
            return again(place, session, triesLeft);
        });
    }

    private CompletableFuture<Result> again(Place place, Session session, int triesLeft) {
        if (triesLeft > 0) {
            return attempt(place, session, true, triesLeft - 1);
        }
        return place.claim.queue()
                ? CompletableFuture.completedFuture(new Result(Optional.empty(), null))
                : CompletableFuture.failedFuture(
                        new NotSentException("too many others ask for the same semaphore", null));
    }

    /** The same claim was sent before, and its answer was lost. */
    private CompletableFuture<Result> takenBefore(
            Place place, Session session, SemaphoreView view, TakenSlot own, int triesLeft) {
        return slots.held(session, place.claim.key(), view, own)
                .thenCompose(held -> held.isPresent()
                        ? CompletableFuture.completedFuture(new Result(held, null))
                        : session.delete(paths.slot(place.claim.key(), own))
                                .thenCompose(removed -> again(place, session, triesLeft)));
    }
}
