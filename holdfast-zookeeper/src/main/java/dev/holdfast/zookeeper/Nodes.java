package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** The steps at the servers. Each is one request unless it says otherwise. */
final class Nodes {
    /**
     * A claim that stands.
     *
     * @param zxid the transaction that created it
     * @param alone nobody else has a claim: so nobody is in front
     */
    record Entry(String path, int sequence, long zxid, boolean alone) {}

    private static final byte[] NOTHING = new byte[0];
    private static final int ANY_VERSION = -1;
    /** The version of a node that nobody has written to. */
    private static final int NEW = 0;

    private static final int MOST_TRIES = 10;
    private static final long REPEAT_NANOS = 1_000_000_000;

    private final Paths paths;
    private final List<ACL> acl;
    private final Environment environment;

    Nodes(Paths paths, List<ACL> acl, Environment environment) {
        this.paths = paths;
        this.acl = acl;
        this.environment = environment;
    }

    static boolean isMissing(Throwable failure) {
        return Errors.is(failure, Code.NONODE);
    }

    // ---- entering

    CompletableFuture<Entry> create(Session session, Claim claim) {
        return create(session, claim, ANY_VERSION, false, MOST_TRIES);
    }

    /**
     * Stands behind whoever is there. The name's own node is written in the same transaction: what that returns tells the
     * zxid, and whether there are others, so nobody has to be listed.
     */
    private CompletableFuture<Entry> create(
            Session session, Claim claim, int version, boolean withContainer, int triesLeft) {
        List<Op> ops = new ArrayList<>(3);
        if (withContainer) {
            ops.add(Op.create(paths.lock(claim.name()), NOTHING, acl, CreateMode.CONTAINER));
        }
        addEntry(ops, session, claim, version);
        return Stages.recover(session.multi(ops).thenApply(Nodes::entry), failure -> {
            boolean missing = isMissing(failure);
            if (triesLeft == 0 || !(missing || (withContainer && Errors.is(failure, Code.NODEEXISTS)))) {
                return CompletableFuture.failedFuture(failure);
            }
            // The server removes containers that have been empty for a while, and others create them.
            return missing
                    ? createBelow(session, claim, version, withContainer, triesLeft - 1)
                    : create(session, claim, version, false, triesLeft - 1);
        });
    }

    /** With everything above it that may be missing. The requests go out together: they are carried out in order. */
    private CompletableFuture<Entry> createBelow(
            Session session, Claim claim, int version, boolean withBase, int triesLeft) {
        if (withBase) {
            makeBase(session);
        }
        // That it exists is the rule, and whether it does the next one tells.
        var unused = session.create(paths.base() + "/" + paths.bucket(claim.name()), acl, CreateMode.CONTAINER);
        return create(session, claim, version, true, triesLeft);
    }

    private void makeBase(Session session) {
        String base = paths.base();
        for (int end = base.indexOf('/', 1); end > 0; end = base.indexOf('/', end + 1)) {
            var unused = session.create(base.substring(0, end), acl, CreateMode.PERSISTENT);
        }
        var unused = session.create(base, acl, CreateMode.PERSISTENT);
    }

    private void addEntry(List<Op> ops, Session session, Claim claim, int version) {
        String lock = paths.lock(claim.name());
        byte[] data = NodeData.of(claim, Place.tokens(claim), session.timeout);
        ops.add(Op.create(lock + "/" + Spot.prefix(claim.owner()), data, acl, CreateMode.EPHEMERAL_SEQUENTIAL));
        ops.add(Op.setData(lock, NOTHING, version));
    }

    private static Entry entry(List<OpResult> results) {
        OpResult.CreateResult created = (OpResult.CreateResult) results.get(results.size() - 2);
        Stat lock = ((OpResult.SetDataResult) results.get(results.size() - 1)).getStat();
        String path = created.getPath();
        Spot spot = Spot.parse(path.substring(path.lastIndexOf('/') + 1));
        // One transaction: the zxid that last changed the lock is the one that created the claim.
        return new Entry(path, spot.sequence(), lock.getMzxid(), lock.getNumChildren() == 1);
    }

    /** What came of a claim that does not wait: it stands, or there are these, or somebody was faster and may be gone. */
    record Attempt(Optional<Entry> entry, List<Spot> others) {
        boolean isDecided() {
            return entry.isPresent() || !others.isEmpty();
        }
    }

    /**
     * Enters only if nobody has a claim: two requests. What is listed may be old. If it says that nobody is there, the
     * version tells; if it says that somebody is, or the version was another one, it is listed anew, up to date.
     */
    CompletableFuture<Attempt> createIfFree(Session session, Claim claim) {
        return attempt(session, claim, session.list(paths.lock(claim.name())))
                .thenCompose(attempt -> attempt.entry().isPresent()
                        ? CompletableFuture.completedFuture(attempt)
                        : createIfFree(session, claim, MOST_TRIES));
    }

    private CompletableFuture<Attempt> createIfFree(Session session, Claim claim, int triesLeft) {
        String lock = paths.lock(claim.name());
        return attempt(session, claim, session.upToDate(lock, () -> session.list(lock)))
                .thenCompose(attempt -> {
                    if (attempt.isDecided()) {
                        return CompletableFuture.completedFuture(attempt);
                    }
                    return triesLeft > 0
                            ? createIfFree(session, claim, triesLeft - 1)
                            : CompletableFuture.failedFuture(
                                    new NotSentException("too many others ask for the same lock", null));
                });
    }

    private CompletableFuture<Attempt> attempt(
            Session session, Claim claim, CompletableFuture<Optional<Session.Listed>> listing) {
        return listing.thenCompose(found -> {
            List<Spot> others =
                    found.map(Session.Listed::children).map(Spot::line).orElse(List.of());
            if (!others.isEmpty()) {
                return CompletableFuture.completedFuture(new Attempt(Optional.empty(), others));
            }
            CompletableFuture<Entry> created = found.isPresent()
                    ? create(session, claim, found.get().stat().getVersion(), false, 3)
                    : createBelow(session, claim, NEW, false, 3);
            return Stages.recover(
                    created.thenApply(entry -> new Attempt(Optional.of(entry), List.of())),
                    failure -> Errors.is(failure, Code.BADVERSION)
                            ? CompletableFuture.completedFuture(new Attempt(Optional.empty(), List.of()))
                            : CompletableFuture.failedFuture(failure));
        });
    }

    // ---- leaving

    /** False: it was not there any more. */
    CompletableFuture<Boolean> remove(Place.Node node) {
        return session(node).delete(node.path());
    }

    /**
     * Removes it after writing to it, in one transaction. To whoever watches it that is the word of its holder: the lock
     * is yours. A node that merely disappears may have been anybody's in the line.
     */
    CompletableFuture<Boolean> giveBack(Place.Node node) {
        List<Op> ops = new ArrayList<>(2);
        addGiveBack(ops, node);
        return Stages.recover(
                session(node).multi(ops).thenApply(done -> true),
                failure -> isMissing(failure)
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(failure));
    }

    private static void addGiveBack(List<Op> ops, Place.Node node) {
        ops.add(Op.setData(node.path(), NOTHING, ANY_VERSION));
        ops.add(Op.delete(node.path(), ANY_VERSION));
    }

    /** Gives back and stands at the end of the line. */
    CompletableFuture<Entry> replace(Place.Node held, boolean contended, Claim next) {
        List<Op> ops = new ArrayList<>(4);
        if (contended) {
            addGiveBack(ops, held);
        } else {
            ops.add(Op.delete(held.path(), ANY_VERSION));
        }
        addEntry(ops, session(held), next, ANY_VERSION);
        return session(held).multi(ops).thenApply(Nodes::entry);
    }

    /** However often it takes. A node that nobody remembers would be held for as long as the session lives. */
    void removeSurely(Place.Node node) {
        if (session(node).isOver()) {
            return;
        }
        var unused = remove(node).whenComplete((removed, failure) -> {
            if (failure != null) {
                environment.schedule(REPEAT_NANOS, () -> removeSurely(node));
            }
        });
    }

    /** Whatever this owner has under that name, known or not. Three requests or more; true if there was something. */
    CompletableFuture<Boolean> removeAll(Session session, String name, Owner owner) {
        return session.upToDate(paths.lock(name), () -> line(session, name))
                .thenCompose(line -> Stages.all(line.stream()
                                .filter(spot -> spot.owner().equals(owner))
                                .map(spot -> session.delete(paths.lock(name) + "/" + spot.child()))
                                .toList())
                        .thenApply(removed -> removed.contains(true)));
    }

    // ---- looking

    /** A write that changes nothing: a quorum agrees that all of these are there. Fails with NONODE if one is not. */
    CompletableFuture<List<OpResult>> confirm(List<Place.Node> nodes) {
        List<Op> ops = new ArrayList<>(nodes.size());
        nodes.forEach(node -> ops.add(Op.check(node.path(), ANY_VERSION)));
        return session(nodes.get(0)).multi(ops);
    }

    CompletableFuture<List<Spot>> line(Session session, String name) {
        return Stages.recover(
                session.children(paths.lock(name)).thenApply(Spot::line),
                failure -> isMissing(failure)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Its data, and a watch on it; empty if it is gone. */
    CompletableFuture<Optional<NodeData>> watch(Session session, String name, Spot spot, Watcher watcher) {
        return session.read(paths.lock(name) + "/" + spot.child(), watcher).thenApply(found -> found.map(Nodes::data));
    }

    static NodeData data(Session.Found found) {
        return NodeData.parse(found.text());
    }

    /** Whose it is; empty if it is gone. */
    CompletableFuture<Optional<Holder>> holderOf(Session session, String name, Spot spot) {
        return session.read(paths.lock(name) + "/" + spot.child(), null)
                .thenApply(found -> found.map(Nodes::data).map(NodeData::holder));
    }

    private static Session session(Place.Node node) {
        return node.session();
    }
}
