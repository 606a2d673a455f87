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
 * Renewal: a quorum confirms that the nodes are there, many in one request. That request is a write of the session, so it
 * also proves that the session lives.
 */
final class Renewing {
    private static final Renewal GONE = new Renewal.Gone();
    /** Well below the megabyte that a packet may have. */
    private static final int MOST_PATH_CHARS = 200_000;

    private final Link link;
    private final Nodes nodes;
    private final Places places;
    private final Environment environment;

    Renewing(Link link, Nodes nodes, Places places, Environment environment) {
        this.link = link;
        this.nodes = nodes;
        this.places = places;
        this.environment = environment;
    }

    private record Item(int index, Holding holding, Place place, Place.Node node) {}

    CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        Renewal[] answers = new Renewal[holdings.size()];
        Session session = link.connected();
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
            } else if (session != node.session()) {
                answers[i] = new Renewal.Unknown(new NotSentException("contact with ZooKeeper is interrupted", null));
            } else {
                if (chars > MOST_PATH_CHARS) {
                    batches.add(confirm(batch, session, answers));
                    batch = new ArrayList<>();
                    chars = 0;
                }
                batch.add(new Item(i, holding, place, node));
                chars += node.path().length();
            }
        }
        if (session != null && !batch.isEmpty()) {
            batches.add(confirm(batch, session, answers));
        }
        return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
                .thenApply(done -> Arrays.asList(answers));
    }

    private CompletableFuture<Void> confirm(List<Item> items, Session session, Renewal[] answers) {
        if (items.isEmpty()) {
            return CompletableFuture.allOf();
        }
        long sent = environment.nanoTime();
        CompletableFuture<Void> confirmed = limited(
                nodes.confirm(items.stream().map(Item::node).toList()).thenAccept(results -> {}), session.timeout);
        return Stages.recover(confirmed.thenAccept(done -> renewed(items, session, sent, answers)), failure -> {
            if (Nodes.isMissing(failure)) {
                return sortOut(items, session, answers);
            }
            items.forEach(item -> answers[item.index()] = new Renewal.Unknown(failure));
            return CompletableFuture.allOf();
        });
    }

    private void renewed(List<Item> items, Session session, long sentNanos, Renewal[] answers) {
        long now = environment.nanoTime();
        long bySession = session.proof.validUntilNanos();
        for (Item item : items) {
            Duration lease = item.holding().lease();
            long byLease = Validity.until(sentNanos, lease);
            answers[item.index()] = places.lengthen(item.place(), now + lease.toNanos())
                    ? new Renewal.Renewed(bySession - byLease < 0 ? bySession : byLease)
                    : GONE;
        }
    }

    /** At least one of them is gone: ask for each which, and confirm the rest again. */
    private CompletableFuture<Void> sortOut(List<Item> items, Session session, Renewal[] answers) {
        List<CompletableFuture<Boolean>> found = items.stream()
                .map(item -> session.exists(item.node().path()).thenApply(each -> each.isPresent()))
                .toList();
        CompletableFuture<Void> sorted = Stages.all(found).thenCompose(present -> {
            List<Item> rest = new ArrayList<>();
            for (int i = 0; i < items.size(); i++) {
                if (present.get(i)) {
                    rest.add(items.get(i));
                } else {
                    places.remove(items.get(i).place());
                    answers[items.get(i).index()] = GONE;
                }
            }
            // Nobody is missing, and yet the quorum says so: this server lags behind. Next time it will not.
            if (rest.size() == items.size()) {
                throw new NotSentException("the server we are connected to lags behind", null);
            }
            return confirm(rest, session, answers);
        });
        return Stages.recover(sorted, failure -> {
            for (Item item : items) {
                if (answers[item.index()] == null) {
                    answers[item.index()] = new Renewal.Unknown(failure);
                }
            }
            return CompletableFuture.allOf();
        });
    }

    /** The library notices a dead connection late. Until then core should know that it does not know. */
    private CompletableFuture<Void> limited(CompletableFuture<Void> stage, Duration session) {
        CompletableFuture<Void> limited = stage.copy();
        Environment.Scheduled limit = environment.schedule(
                session.toNanos() / 6,
                () -> limited.completeExceptionally(new TimeoutException("ZooKeeper has not answered in time")));
        return limited.whenComplete((done, failure) -> limit.cancel());
    }
}
