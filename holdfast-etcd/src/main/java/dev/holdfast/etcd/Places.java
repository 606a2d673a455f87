package dev.holdfast.etcd;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The places of this process, by owner. A step of the map decides who may act for an owner; nothing is sent inside one. */
final class Places {
    private final ConcurrentHashMap<Owner, Place> places = new ConcurrentHashMap<>();
    private final Keys keys;
    private final Environment environment;

    Places(Keys keys, Environment environment) {
        this.keys = keys;
        this.environment = environment;
    }

    /** What a step of the map has found. */
    private static final class Chosen {
        @Nullable
        CompletableFuture<Answer> asking;
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
        if (!places.remove(place.claim.owner(), place)) {
            return false;
        }
        place.watch(null);
        return true;
    }

    boolean has(Place place) {
        return places.get(place.claim.owner()) == place;
    }

    /** Copies of one question share its answer. */
    CompletableFuture<Answer> ask(Claim claim, Function<Place, CompletableFuture<Answer>> question) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Chosen chosen = new Chosen();
        Place asked = Objects.requireNonNull(places.compute(claim.owner(), (owner, known) -> {
            Place place = known == null ? new Place(claim, keys, environment.wallMicros()) : known;
            chosen.asking = place.askedBy(answer);
            return place;
        }));
        return chosen.asking == answer ? begin(asked, answer, question) : Objects.requireNonNull(chosen.asking);
    }

    /** Asks for a place that waits. Not if it is gone, nor if a question that is under way is granted it meanwhile. */
    void askAgain(Place place, Function<Place, CompletableFuture<Answer>> question, Consumer<Answer> onAnswer) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Chosen chosen = new Chosen();
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            if (known == place && !place.granted) {
                chosen.asking = place.askedBy(answer);
            }
            return known;
        });
        if (chosen.asking == answer) {
            var unused = begin(place, answer, question).thenAccept(onAnswer);
        } else if (chosen.asking != null) {
            // What that one has seen may be older than the reason to ask again.
            var unused = chosen.asking.whenComplete((said, failure) -> askAgain(place, question, onAnswer));
        }
    }

    private CompletableFuture<Answer> begin(
            Place asked, CompletableFuture<Answer> answer, Function<Place, CompletableFuture<Answer>> question) {
        var unused = Futures.safely(() -> question.apply(asked)).whenComplete((said, failure) -> {
            settle(asked);
            if (failure == null) {
                answer.complete(said);
            } else {
                answer.completeExceptionally(Errors.explain(failure));
            }
        });
        return answer;
    }

    /** A place without a key is none. What a failed request may have left behind is found by its owner. */
    private void settle(Place place) {
        places.computeIfPresent(place.claim.owner(), (owner, known) -> {
            if (known != place) {
                return known;
            }
            known.asking = null;
            ServerLease lease = known.lease;
            return known.revision == 0 || lease == null || lease.over ? null : known;
        });
    }

    /** The question under way for this owner. */
    @Nullable
    CompletableFuture<Answer> asking(Owner owner) {
        Chosen chosen = new Chosen();
        places.computeIfPresent(owner, (key, known) -> {
            chosen.asking = known.asking;
            return known;
        });
        return chosen.asking;
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
