package dev.holdfast.zookeeper;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The places of this process, by owner. A step of the map decides who may act for an owner; nothing is sent inside one. */
final class Places {
    private final ConcurrentHashMap<Owner, Place> places = new ConcurrentHashMap<>();
    private volatile boolean closing;

    /** What a step of the map has found. */
    private static final class Chosen {
        @Nullable
        CompletableFuture<Answer> earlier;

        boolean begun;
    }

    boolean isEmpty() {
        return places.isEmpty();
    }

    boolean isAnyHeld() {
        return places.values().stream().anyMatch(place -> place.granted);
    }

    Collection<Place> all() {
        return places.values();
    }

    @Nullable
    Place get(Owner owner) {
        return places.get(owner);
    }

    /** False: somebody else has removed it. */
    boolean remove(Place place) {
        return places.remove(place.claim.owner(), place);
    }

    void clear() {
        places.clear();
    }

    /** Copies of one question share its answer. */
    CompletableFuture<Answer> ask(
            Claim claim, Place.FrontListener listener, Function<Place, CompletableFuture<Answer>> question) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Chosen chosen = new Chosen();
        Place asked = Objects.requireNonNull(places.compute(claim.owner(), (owner, known) -> {
            Place place = known == null ? new Place(claim, listener) : known;
            chosen.earlier = place.asking;
            if (place.asking == null) {
                place.asking = answer;
            }
            return place;
        }));
        if (chosen.earlier != null) {
            return chosen.earlier;
        }
        run(asked, answer, () -> question.apply(asked));
        return answer;
    }

    private void run(Place asked, CompletableFuture<Answer> answer, Supplier<CompletableFuture<Answer>> question) {
        var unused = Futures.safely(question).whenComplete((said, failure) -> {
            settle(asked);
            if (failure == null) {
                answer.complete(said);
            } else {
                answer.completeExceptionally(Errors.explain(failure));
            }
        });
    }

    /**
     * Asks on our own behalf, after the question under way if there is one: what that one has seen may be older than the reason
     * to ask.
     *
     * @param wanted whether there is still something to ask for
     */
    CompletableFuture<Answer> askAgain(
            Place place, BooleanSupplier wanted, Supplier<CompletableFuture<Answer>> question) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Chosen chosen = new Chosen();
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            if (known == place && !closing) {
                chosen.earlier = place.asking;
                if (place.asking == null && wanted.getAsBoolean()) {
                    place.asking = answer;
                    chosen.begun = true;
                }
            }
            return known;
        });
        CompletableFuture<Answer> earlier = chosen.earlier;
        if (earlier != null) {
            return earlier.handle((said, failure) -> failure == null)
                    .thenCompose(done -> askAgain(place, wanted, question));
        }
        if (!chosen.begun) {
            return CompletableFuture.failedFuture(new NotSentException("the claim does not wait any more", null));
        }
        run(place, answer, question);
        return answer;
    }

    /** From now on questions come from core only. */
    void beginClosing() {
        closing = true;
    }

    /** A place without a node is none. What a failed creation may have left behind is found by its owner. */
    private void settle(Place place) {
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            if (known != place) {
                return known;
            }
            known.asking = null;
            return known.node == null || known.node.session().isOver() ? null : known;
        });
    }

    /** The question under way for this owner. */
    @Nullable
    CompletableFuture<Answer> asking(Owner owner) {
        Chosen chosen = new Chosen();
        places.computeIfPresent(owner, (key, known) -> {
            chosen.earlier = known.asking;
            return known;
        });
        return chosen.earlier;
    }

    /** One future for each question under way. It completes when the question ends, and never fails. */
    List<CompletableFuture<Boolean>> asked() {
        return places.keySet().stream()
                .map(this::asking)
                .filter(Objects::nonNull)
                .map(each -> each.handle((answer, failure) -> failure == null))
                .toList();
    }

    /** Lets a lease end, if it has. Decided in one step with {@link #lengthen}, so that never both succeed. */
    boolean end(Place place, long nowNanos) {
        boolean[] ended = new boolean[1];
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            ended[0] = known == place && nowNanos - place.leaseEndsNanos >= 0;
            return ended[0] ? null : known;
        });
        return ended[0];
    }

    /** False: the lease had ended before. */
    boolean lengthen(Place place, long untilNanos) {
        boolean[] held = new boolean[1];
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            if (known == place) {
                place.hold(untilNanos);
                held[0] = true;
            }
            return known;
        });
        return held[0];
    }
}
