package dev.holdfast.zookeeper;

import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Describes, lists and breaks locks, for operators. What it tells is no older than the question. */
final class Inspection {
    private static final int AT_ONCE = 100;

    private final SessionTracker tracker;
    private final Nodes nodes;
    private final Paths paths;

    Inspection(SessionTracker tracker, Nodes nodes, Paths paths) {
        this.tracker = tracker;
        this.nodes = nodes;
        this.paths = paths;
    }

    private record Claimed(QueuedClaim queued, Session.Found found, NodeData data) {
        /** Who does not say since when it waits has waited since its node was created, by the servers' clock. */
        Waiting waiting() {
            return Waiting.of(
                    data.holder(), data.since(Instant.ofEpochMilli(found.stat().getCtime())));
        }
    }

    CompletableFuture<List<LockState>> describe(String name) {
        return tracker.session().thenCompose(session -> session.upToDate(paths.base(), () -> describe(session, name)));
    }

    private CompletableFuture<List<LockState>> describe(Session session, String name) {
        return nodes.queue(session, name).thenCompose(queue -> {
            List<CompletableFuture<@Nullable Claimed>> read =
                    queue.stream().map(queued -> claimed(session, name, queued)).toList();
            return Futures.all(read).thenApply(claims -> state(name, claims));
        });
    }

    @SuppressWarnings("NullAway") // A claim that is gone by now is null here and left out below.
    private CompletableFuture<@Nullable Claimed> claimed(Session session, String name, QueuedClaim queued) {
        return session.read(paths.lock(name) + "/" + queued.child(), null)
                .thenApply(found -> found.map(each -> new Claimed(queued, each, Nodes.data(each)))
                        .orElse(null));
    }

    private static List<LockState> state(String name, List<@Nullable Claimed> claims) {
        List<Claimed> there = new ArrayList<>();
        for (Claimed claim : claims) {
            if (claim != null) {
                there.add(claim);
            }
        }
        if (there.isEmpty()) {
            return List.of();
        }
        Claimed first = there.get(0);
        NodeData data = first.data();
        return List.of(LockState.builder(name, first.queued().owner())
                .holder(data.holder())
                .tokens(Place.lastToken(first.found().stat().getCzxid(), data.tokens()), data.tokens())
                .since(Instant.ofEpochMilli(first.found().stat().getCtime()))
                .remaining(remaining(data))
                .waiters(there.stream().skip(1).map(Claimed::waiting).toList())
                .build());
    }

    /**
     * At least so long, even if the holder's process is gone already: servers do not tell how much of a session is left,
     * but while its client lives they hear of it at least three times in its duration.
     */
    private static Duration remaining(NodeData data) {
        Duration least = data.session().dividedBy(3);
        return data.lease().compareTo(least) < 0 ? data.lease() : least;
    }

    /** Ends when the caller completes or cancels what it got: nothing more is asked for then. */
    CompletableFuture<List<LockState>> list(String prefix, int limit) {
        CompletableFuture<List<LockState>> result = new CompletableFuture<>();
        var unused = tracker.session()
                .thenCompose(session -> session.upToDate(paths.base(), () -> names(session, prefix))
                        .thenCompose(names -> collect(session, names, 0, limit, new ArrayList<>(), result)))
                .whenComplete((states, failure) -> {
                    if (failure == null) {
                        result.complete(states);
                    } else {
                        result.completeExceptionally(Errors.explain(failure));
                    }
                });
        return result;
    }

    private CompletableFuture<List<String>> names(Session session, String prefix) {
        return children(session, paths.base())
                .thenCompose(buckets -> Futures.all(buckets.stream()
                        .filter(Paths::isBucket)
                        .map(bucket -> visible(children(session, paths.base() + "/" + bucket), List.of()))
                        .toList()))
                .thenApply(all -> all.stream()
                        .flatMap(List::stream)
                        .flatMap(element -> Paths.name(element).stream())
                        .filter(name -> name.startsWith(prefix))
                        .sorted()
                        .toList());
    }

    private static CompletableFuture<List<String>> children(Session session, String path) {
        return Futures.recover(
                session.children(path),
                failure -> Nodes.isMissing(failure)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** One node that belongs to somebody else does not hide all the others. */
    private static <T> CompletableFuture<T> visible(CompletableFuture<T> stage, T otherwise) {
        return Futures.recover(
                stage,
                failure -> Errors.is(failure, Code.NOAUTH)
                        ? CompletableFuture.completedFuture(otherwise)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Many names may be free by now, so a part at a time until there are enough. */
    private CompletableFuture<List<LockState>> collect(
            Session session,
            List<String> names,
            int from,
            int limit,
            List<LockState> found,
            CompletableFuture<List<LockState>> wanted) {
        if (from >= names.size() || found.size() >= limit || wanted.isDone()) {
            return CompletableFuture.completedFuture(
                    List.copyOf(found.subList(0, Math.min(Math.max(0, limit), found.size()))));
        }
        int to = Math.min(names.size(), from + AT_ONCE);
        return Futures.all(names.subList(from, to).stream()
                        .map(name -> visible(describe(session, name), List.<LockState>of()))
                        .toList())
                .thenCompose(states -> {
                    states.forEach(found::addAll);
                    return collect(session, names, to, limit, found, wanted);
                });
    }

    CompletableFuture<Optional<LockState>> breakLock(String name, Owner owner) {
        return tracker.session()
                .thenCompose(session -> session.upToDate(paths.base(), () -> nodes.queue(session, name))
                        .thenCompose(queue -> describe(session, name)
                                .thenCompose(states -> end(session, name, queue, states, owner))));
    }

    private CompletableFuture<Optional<LockState>> end(
            Session session, String name, List<QueuedClaim> queue, List<LockState> states, Owner owner) {
        Optional<QueuedClaim> queued =
                queue.stream().filter(each -> each.owner().equals(owner)).findFirst();
        Optional<LockState> state =
                states.stream().filter(each -> each.tenure().isOf(owner)).findFirst();
        if (queued.isEmpty() || state.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        // Paths are never used twice, so this is the node that was seen or none.
        return session.delete(paths.lock(name) + "/" + queued.get().child())
                .thenApply(removed -> removed ? state : Optional.empty());
    }
}
