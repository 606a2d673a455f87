package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Renewal: it is still each claim's turn, at a time after the renewal was sent. A write that changes nothing goes
 * first, which proves that the session lives; {@link StillHeld} reads behind it, many claims in one request.
 */
final class Renewals {
    private static final Renewal GONE = new Renewal.Gone();
    /** Well below the megabyte that a packet may have, also with what is answered for each path. */
    private static final int MOST_PATH_CHARS = 200_000;
    /** A slot is read with its data. */
    private static final int DATA_CHARS = 400;

    private final SessionTracker tracker;
    private final Nodes nodes;
    private final Places places;
    private final Paths paths;
    private final Environment environment;

    Renewals(SessionTracker tracker, Nodes nodes, Places places, Paths paths, Environment environment) {
        this.tracker = tracker;
        this.nodes = nodes;
        this.places = places;
        this.paths = paths;
        this.environment = environment;
    }

    private record Item(int index, Holding holding, StillHeld.Candidate candidate) {}

    CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        Renewal[] answers = new Renewal[holdings.size()];
        Session session = tracker.connected();
        List<CompletableFuture<Void>> batches = new ArrayList<>();
        List<Item> batch = new ArrayList<>();
        int chars = 0;
        for (int i = 0; i < answers.length; i++) {
            Holding holding = holdings.get(i);
            Place place = places.get(holding.owner());
            Place.Node node = place == null ? null : place.node;
            if (place == null
                    || node == null
                    || !place.isHeld(node, holding)
                    || node.session().isOver()) {
                answers[i] = GONE;
            } else if (session == null || session != node.session()) {
                answers[i] = new Renewal.Unknown(new NotSentException("contact with ZooKeeper is interrupted", null));
            } else {
                if (chars > MOST_PATH_CHARS) {
                    batches.add(renew(batch, session, answers));
                    batch = new ArrayList<>();
                    chars = 0;
                }
                batch.add(new Item(i, holding, new StillHeld.Candidate(place, node)));
                chars += node.path().length() + (node.isSlot() ? DATA_CHARS : 0);
            }
        }
        if (session != null && !batch.isEmpty()) {
            batches.add(renew(batch, session, answers));
        }
        return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
                .thenApply(done -> Arrays.asList(answers));
    }

    private CompletableFuture<Void> renew(List<Item> items, Session session, Renewal[] answers) {
        long sent = environment.nanoTime();
        List<StillHeld.Candidate> candidates =
                items.stream().map(Item::candidate).toList();
        CompletableFuture<List<StillHeld.Verdict>> checked = limited(
                SessionGuard.upToDate(session, paths.base(), () -> StillHeld.check(session, candidates)),
                session.timeout);
        return checked.handle((verdicts, failure) -> {
            for (int i = 0; i < items.size(); i++) {
                answers[items.get(i).index()] = failure == null
                        ? answer(items.get(i), verdicts.get(i), session, sent)
                        : new Renewal.Unknown(Errors.explain(failure));
            }
            return null;
        });
    }

    private Renewal answer(Item item, StillHeld.Verdict verdict, Session session, long sentNanos) {
        if (verdict.failure() != null) {
            return new Renewal.Unknown(verdict.failure());
        }
        return verdict.isHeld() ? renewed(item, session, sentNanos) : gone(item);
    }

    private Renewal renewed(Item item, Session session, long sentNanos) {
        Duration lease = item.holding().lease();
        long bySession = session.proof.validUntilNanos();
        long byLease = Validity.until(sentNanos, lease);
        long ends = environment.nanoTime() + lease.toNanos();
        return places.lengthen(item.candidate().place(), ends)
                ? new Renewal.Renewed(bySession - byLease < 0 ? bySession : byLease)
                : GONE;
    }

    /** A claim whose turn it is not any more holds nothing. It must not stay in the queue either: nobody waits for it. */
    private Renewal gone(Item item) {
        if (places.remove(item.candidate().place())) {
            nodes.removeWithRetries(item.candidate().node());
        }
        return GONE;
    }

    /** The library notices a dead connection late. Until then, tell core that the outcome is unknown. */
    private <T> CompletableFuture<T> limited(CompletableFuture<T> stage, Duration session) {
        CompletableFuture<T> limited = stage.copy();
        Environment.Scheduled limit = environment.schedule(
                session.toNanos() / 6,
                () -> limited.completeExceptionally(new TimeoutException("ZooKeeper has not answered in time")));
        return limited.whenComplete((done, failure) -> limit.cancel());
    }
}
