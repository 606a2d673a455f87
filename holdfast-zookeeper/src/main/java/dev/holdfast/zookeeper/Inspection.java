package dev.holdfast.zookeeper;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;
import org.apache.zookeeper.KeeperException.Code;

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

    /** @param slot which slot of a semaphore it is; 0 for everything else */
    private record Claimed(Owner owner, int slot, boolean reader, Session.Found found, NodeData data) {
        /** Who does not say since when it waits has waited since its node was created, by the servers' clock. */
        Waiting waiting() {
            return Waiting.of(
                    data.holder(), data.since(Instant.ofEpochMilli(found.stat().getCtime())));
        }

        LockState state(String key, List<Waiting> waiters) {
            return LockState.builder(key, owner)
                    .slot(slot)
                    .shared(reader)
                    .holder(data.holder())
                    .tokens(Place.lastToken(found.stat().getCzxid(), data.tokens()), data.tokens())
                    .since(Instant.ofEpochMilli(found.stat().getCtime()))
                    .remaining(remaining(data))
                    .waiters(waiters)
                    .build();
        }
    }

    CompletableFuture<List<LockState>> describe(String key) {
        return tracker.session().thenCompose(session -> session.upToDate(paths.base(), () -> describe(session, key)));
    }

    private CompletableFuture<List<LockState>> describe(Session session, String key) {
        CompletableFuture<List<Claimed>> queue = nodes.queue(session, key)
                .thenCompose(queued -> there(queued.stream()
                        .map(each -> claimed(session, paths.claim(key, each), each.owner(), 0, each.isReader()))
                        .toList()));
        if (LockKey.kindOf(key) != LockKind.SEMAPHORE) {
            return queue.thenApply(claims -> inQueue(key, claims));
        }
        CompletableFuture<List<Claimed>> slots = nodes.slots(session, key)
                .thenCompose(taken -> there(taken.stream()
                        .map(each -> claimed(session, paths.slot(key, each), each.owner(), each.slot(), false))
                        .toList()));
        return slots.thenCombine(queue, (taken, waiting) -> inSlots(key, taken, waiting));
    }

    private static CompletableFuture<Optional<Claimed>> claimed(
            Session session, String path, Owner owner, int slot, boolean reader) {
        return session.read(path, null)
                .thenApply(found -> found.map(each -> new Claimed(owner, slot, reader, each, Nodes.data(each))));
    }

    /** Without those that have gone since they were listed. */
    private static CompletableFuture<List<Claimed>> there(List<CompletableFuture<Optional<Claimed>>> claims) {
        return Futures.all(claims)
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    /** Of a lock the first one holds it; so do the readers in front of the first that does not read. */
    private static List<LockState> inQueue(String key, List<Claimed> claims) {
        int holding = Math.min(1, claims.size());
        while (holding < claims.size()
                && claims.get(0).reader()
                && claims.get(holding).reader()) {
            holding++;
        }
        List<Waiting> waiters =
                claims.stream().skip(holding).map(Claimed::waiting).toList();
        return claims.stream()
                .limit(holding)
                .map(claim -> claim.state(key, waiters))
                .toList();
    }

    /** By slot. Should there be two nodes for one, the older one holds it. */
    private static List<LockState> inSlots(String key, List<Claimed> taken, List<Claimed> waiting) {
        TreeMap<Integer, Claimed> holders = new TreeMap<>();
        taken.forEach(each -> holders.merge(
                each.slot(),
                each,
                BinaryOperator.minBy(
                        Comparator.comparingLong(claim -> claim.found().stat().getCzxid()))));
        List<Waiting> waiters = waiting.stream().map(Claimed::waiting).toList();
        return holders.values().stream().map(each -> each.state(key, waiters)).toList();
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
                .thenCompose(session -> session.upToDate(paths.base(), () -> keys(session, prefix))
                        .thenCompose(keys -> collect(session, keys, 0, limit, new ArrayList<>(), result)))
                .whenComplete((states, failure) -> {
                    if (failure == null) {
                        result.complete(states);
                    } else {
                        result.completeExceptionally(Errors.explain(failure));
                    }
                });
        return result;
    }

    private CompletableFuture<List<String>> keys(Session session, String prefix) {
        return Nodes.children(session, paths.base())
                .thenCompose(buckets -> Futures.all(buckets.stream()
                        .filter(Paths::isBucket)
                        .map(bucket -> visible(Nodes.children(session, paths.base() + "/" + bucket), List.of()))
                        .toList()))
                .thenApply(all -> all.stream()
                        .flatMap(List::stream)
                        .flatMap(element -> Paths.key(element).stream())
                        .filter(key -> key.startsWith(prefix))
                        .distinct()
                        .sorted()
                        .toList());
    }

    /** One node that belongs to somebody else does not hide all the others. */
    private static <T> CompletableFuture<T> visible(CompletableFuture<T> stage, T otherwise) {
        return Futures.recover(
                stage,
                failure -> Errors.is(failure, Code.NOAUTH)
                        ? CompletableFuture.completedFuture(otherwise)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Many keys may be free by now, so a part at a time until there are enough. */
    private CompletableFuture<List<LockState>> collect(
            Session session,
            List<String> keys,
            int from,
            int limit,
            List<LockState> found,
            CompletableFuture<List<LockState>> wanted) {
        if (from >= keys.size() || found.size() >= limit || wanted.isDone()) {
            return CompletableFuture.completedFuture(
                    List.copyOf(found.subList(0, Math.min(Math.max(0, limit), found.size()))));
        }
        int to = Math.min(keys.size(), from + AT_ONCE);
        return Futures.all(keys.subList(from, to).stream()
                        .map(key -> visible(describe(session, key), List.<LockState>of()))
                        .toList())
                .thenCompose(states -> {
                    states.forEach(found::addAll);
                    return collect(session, keys, to, limit, found, wanted);
                });
    }

    CompletableFuture<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return tracker.session()
                .thenCompose(session -> session.upToDate(paths.base(), () -> nodes.pathsOf(session, key, owner))
                        .thenCompose(found -> describe(session, key)
                                .thenCompose(states -> end(
                                        session,
                                        found,
                                        states.stream()
                                                .filter(state -> state.tenure().isOf(owner) && state.slot() == slot)
                                                .findFirst()))));
    }

    /** Paths are never used twice, so these are the nodes that were seen or none. */
    private static CompletableFuture<Optional<LockState>> end(
            Session session, List<String> found, Optional<LockState> state) {
        if (state.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return Futures.all(found.stream().map(session::delete).toList())
                .thenApply(removed -> removed.contains(true) ? state : Optional.empty());
    }
}
