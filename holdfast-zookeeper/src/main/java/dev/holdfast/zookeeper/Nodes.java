package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

    /** Whatever this owner has under that name, known or not. Three requests or more; true if there was something. */
    CompletableFuture<Boolean> removeAll(Session session, String name, Owner owner) {
        return session.upToDate(paths.lock(name), () -> queue(session, name))
                .thenCompose(queue -> Futures.all(queue.stream()
                                .filter(queued -> queued.owner().equals(owner))
                                .map(queued -> session.delete(paths.lock(name) + "/" + queued.child()))
                                .toList())
                        .thenApply(removed -> removed.contains(true)));
    }

    // ---- looking

    /**
     * A queue as one of its claims sees it.
     *
     * @param at where the claim stands, 0 for the first; negative if it does not stand there any more
     */
    record View(List<QueuedClaim> queue, int at) {
        boolean isFirst() {
            return at == 0;
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

    CompletableFuture<List<QueuedClaim>> queue(Session session, String name) {
        return Futures.recover(
                session.children(paths.lock(name)).thenApply(QueuedClaim::inOrder),
                failure -> isMissing(failure)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Its data, and a watch on it; empty if it is gone. */
    CompletableFuture<Optional<NodeData>> watch(Session session, String path, Watcher watcher) {
        return session.read(path, watcher).thenApply(found -> found.map(Nodes::data));
    }

    static NodeData data(Session.Found found) {
        return NodeData.parse(found.text());
    }

    /** Whose it is; empty if it is gone. */
    CompletableFuture<Optional<Holder>> holderOf(Session session, String name, QueuedClaim queued) {
        return session.read(paths.lock(name) + "/" + queued.child(), null)
                .thenApply(found -> found.map(Nodes::data).map(NodeData::holder));
    }
}
