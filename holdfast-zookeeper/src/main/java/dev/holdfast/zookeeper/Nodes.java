package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;

/** Reads and removes the nodes of claims. Each method is one request unless it says otherwise. */
final class Nodes {
    private static final long REPEAT_NANOS = 1_000_000_000;

    private final Paths paths;
    private final Environment environment;

    Nodes(Paths paths, Environment environment) {
        this.paths = paths;
        this.environment = environment;
    }

    static boolean isMissing(Throwable failure) {
        return Errors.is(failure, Code.NONODE);
    }

    // ---- leaving

    /** False: it was not there any more. */
    CompletableFuture<Boolean> remove(Place.Node node) {
        return node.session().delete(node.path());
    }

    /** However often it takes. A node that nobody remembers would be held for as long as the session lives. */
    void removeWithRetries(Place.Node node) {
        if (node.session().isOver()) {
            return;
        }
        var unused = remove(node).whenComplete((removed, failure) -> {
            if (failure != null) {
                environment.schedule(REPEAT_NANOS, () -> removeWithRetries(node));
            }
        });
    }

    /** Whatever this owner has under that key, known or not. Three requests or more; true if there was something. */
    CompletableFuture<Boolean> removeAll(Session session, String key, Owner owner) {
        return session.upToDate(paths.lock(key), () -> pathsOf(session, key, owner))
                .thenCompose(
                        found -> Futures.all(found.stream().map(session::delete).toList()))
                .thenApply(removed -> removed.contains(true));
    }

    /** The nodes of this owner below that key. */
    CompletableFuture<List<String>> pathsOf(Session session, String key, Owner owner) {
        CompletableFuture<List<String>> claims = queue(session, key)
                .thenApply(queue -> queue.stream()
                        .filter(queued -> queued.owner().equals(owner))
                        .map(queued -> paths.claim(key, queued))
                        .toList());
        CompletableFuture<List<String>> taken = slots(session, key)
                .thenApply(slots -> slots.stream()
                        .filter(slot -> slot.owner().equals(owner))
                        .map(slot -> paths.slot(key, slot))
                        .toList());
        return claims.thenCombine(
                taken,
                (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
    }

    // ---- looking

    /**
     * A queue as one of its claims sees it.
     *
     * @param at where the claim stands, 0 for the first; negative if it does not stand there any more
     */
    record View(List<QueuedClaim> queue, int at) {
        /** Whether it is this claim's turn: it stands there, and waits for nobody. */
        boolean isTurn() {
            return at >= 0 && isTurn(at);
        }

        /** Whether it is the turn of the claim that stands there. */
        boolean isTurn(int place) {
            return waitsFor(place) < 0;
        }

        /** Where the claim stands that this one waits for; negative if it waits for none. */
        int waitsFor() {
            return waitsFor(at);
        }

        /** A reader waits for the nearest one in front that does not read; everybody else for whoever is directly in front. */
        private int waitsFor(int place) {
            int front = place - 1;
            while (queue.get(place).isReader() && front >= 0 && queue.get(front).isReader()) {
                front--;
            }
            return front;
        }
    }

    /** The queue, and whether the claim in it is the node that we created: a path can be used again by somebody else. */
    CompletableFuture<View> view(Place.Node node) {
        return node.session().readAll(viewing(node)).thenApply(results -> view(node, results, 0));
    }

    static List<Op> viewing(Place.Node node) {
        return List.of(Op.getChildren(node.parent()), Op.getData(node.path()));
    }

    /** @param from where the results of {@link #viewing} begin */
    static View view(Place.Node node, List<OpResult> results, int from) {
        if (isMissing(results.get(from)) || isMissing(results.get(from + 1))) {
            return new View(List.of(), -1);
        }
        Stat own = ((OpResult.GetDataResult) results.get(from + 1)).getStat();
        List<QueuedClaim> queue = QueuedClaim.inOrder(((OpResult.GetChildrenResult) results.get(from)).getChildren());
        return new View(queue, own.getCzxid() == node.czxid() ? indexOf(queue, node) : -1);
    }

    private static int indexOf(List<QueuedClaim> queue, Place.Node node) {
        for (int i = 0; i < queue.size(); i++) {
            if (node.path().endsWith("/" + queue.get(i).child())) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Whether a read found nothing.
     *
     * @throws CompletionException if it failed for another reason
     */
    static boolean isMissing(OpResult result) {
        if (!(result instanceof OpResult.ErrorResult error)) {
            return false;
        }
        if (error.getErr() != Code.NONODE.intValue()) {
            throw new CompletionException(KeeperException.create(Code.get(error.getErr())));
        }
        return true;
    }

    CompletableFuture<List<QueuedClaim>> queue(Session session, String key) {
        return children(session, paths.lock(key)).thenApply(QueuedClaim::inOrder);
    }

    /** The slots that are taken; nothing is asked for if it is no semaphore. */
    CompletableFuture<List<TakenSlot>> slots(Session session, String key) {
        return LockKey.kindOf(key) == LockKind.SEMAPHORE
                ? children(session, paths.slots(key)).thenApply(TakenSlot::of)
                : CompletableFuture.completedFuture(List.of());
    }

    /** None if the node is missing. */
    static CompletableFuture<List<String>> children(Session session, String path) {
        return Futures.recover(
                session.children(path),
                failure -> isMissing(failure)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Whether this node of ours holds what it is for. */
    CompletableFuture<Boolean> isHeld(Place.Node node) {
        return node.isSlot()
                ? node.session()
                        .read(node.path(), null)
                        .thenApply(
                                found -> found.isPresent() && found.get().stat().getCzxid() == node.czxid())
                : view(node).thenApply(View::isTurn);
    }

    /** Its data, and a watch on it; empty if it is gone. */
    CompletableFuture<Optional<NodeData>> watch(Session session, String path, Watcher watcher) {
        return session.read(path, watcher).thenApply(found -> found.map(Nodes::data));
    }

    static NodeData data(Session.Found found) {
        return NodeData.parse(found.text());
    }

    /** Whose it is; empty if it is gone. */
    CompletableFuture<Optional<Holder>> holderAt(Session session, String path) {
        return session.read(path, null)
                .thenApply(found -> found.map(Nodes::data).map(NodeData::holder));
    }
}
