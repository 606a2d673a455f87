package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.NotSentException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/**
 * Creates nodes at the servers: claims with what is missing above them, and the node of a session. Each method is one
 * request unless it says otherwise.
 */
final class ClaimCreator {
    /**
     * A claim that stands.
     *
     * @param lock the node of the name, right after that
     * @param alone nobody else has a claim: so nobody is in front
     */
    record Entry(String path, int sequence, Stat lock, boolean alone) {
        /** The transaction that created it, and the last one that changed the queue: they are one. */
        long zxid() {
            return lock.getMzxid();
        }

        /**
         * For an entry that was made on condition that the name's node is as it was listed, without a claim. What else was
         * listed below it is not ours, and nobody waits for it.
         */
        Entry afterListingWithoutClaims(Session.Listed listed) {
            boolean same = lock.getCzxid() == listed.stat().getCzxid()
                    && lock.getNumChildren() == listed.children().size() + 1;
            return new Entry(path, sequence, lock, alone || same);
        }
    }

    private static final byte[] NOTHING = new byte[0];
    private static final int ANY_VERSION = -1;
    /** The version of a node that nobody has written to. */
    private static final int NEW = 0;

    private static final int MOST_TRIES = 10;

    private final Paths paths;
    private final NewNodeAcl acl;

    ClaimCreator(Paths paths, NewNodeAcl acl) {
        this.paths = paths;
        this.acl = acl;
    }

    CompletableFuture<Entry> create(Session session, Claim claim) {
        return create(session, claim, ANY_VERSION, false, MOST_TRIES);
    }

    /**
     * Stands behind whoever is there. The name's own node is written in the same transaction: what that returns tells the
     * zxid, and whether there are others, so nobody has to be listed.
     */
    private CompletableFuture<Entry> create(
            Session session, Claim claim, int version, boolean withContainer, int triesLeft) {
        boolean anonymous = session.isAnonymous();
        List<Op> ops = new ArrayList<>(3);
        if (withContainer) {
            ops.add(Op.create(paths.lock(claim.key()), NOTHING, acl.in(session), CreateMode.CONTAINER));
        }
        addEntry(ops, session, claim, version);
        return Futures.recover(session.multi(ops).thenApply(ClaimCreator::entry), failure -> {
            if (acl.isFoundAnonymous(session, anonymous, failure)) {
                return create(session, claim, version, withContainer, triesLeft);
            }
            boolean missing = Nodes.isMissing(failure);
            if (triesLeft == 0 || !(missing || (withContainer && Errors.is(failure, Code.NODEEXISTS)))) {
                return CompletableFuture.failedFuture(failure);
            }
            // The server removes containers that have been empty for a while, and others create them.
            return missing
                    ? createBelow(session, claim, version, withContainer, triesLeft - 1)
                    : create(session, claim, version, false, triesLeft - 1);
        });
    }

    /** Below a new node of the name, in place of one that is there and has no children. */
    CompletableFuture<Entry> createAnew(Session session, Claim claim) {
        boolean anonymous = session.isAnonymous();
        List<Op> ops = new ArrayList<>(4);
        ops.add(Op.delete(paths.lock(claim.key()), ANY_VERSION));
        ops.add(Op.create(paths.lock(claim.key()), NOTHING, acl.in(session), CreateMode.CONTAINER));
        addEntry(ops, session, claim, ANY_VERSION);
        return Futures.recover(
                session.multi(ops).thenApply(ClaimCreator::entry),
                failure -> acl.isFoundAnonymous(session, anonymous, failure)
                        ? createAnew(session, claim)
                        : CompletableFuture.failedFuture(failure));
    }

    /** With everything above it that may be missing. The requests go out together: they are carried out in order. */
    private CompletableFuture<Entry> createBelow(
            Session session, Claim claim, int version, boolean withBase, int triesLeft) {
        makeParents(session, claim.key(), withBase);
        return create(session, claim, version, true, triesLeft);
    }

    /** Sends the requests and does not wait for them: that all of it exists is the rule, and whether it does the next one tells. */
    void makeParents(Session session, String key, boolean withBase) {
        if (withBase) {
            makeBase(session);
        }
        var unused = session.create(paths.base() + "/" + paths.bucket(key), acl.in(session), CreateMode.CONTAINER);
    }

    private void makeBase(Session session) {
        String base = paths.base();
        for (int end = base.indexOf('/', 1); end > 0; end = base.indexOf('/', end + 1)) {
            var unused = session.create(base.substring(0, end), acl.in(session), CreateMode.PERSISTENT);
        }
        var unused = session.create(base, acl.in(session), CreateMode.PERSISTENT);
    }

    /** A node that goes with the session. Fails with NODEEXISTS if it is there. */
    CompletableFuture<List<OpResult>> createForSession(Session session, String path, String text) {
        return createForSession(session, path, text, MOST_TRIES);
    }

    private CompletableFuture<List<OpResult>> createForSession(
            Session session, String path, String text, int triesLeft) {
        boolean anonymous = session.isAnonymous();
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        List<Op> ops = List.of(Op.create(path, data, acl.in(session), CreateMode.EPHEMERAL));
        return Futures.recover(session.multi(ops), failure -> {
            if (acl.isFoundAnonymous(session, anonymous, failure)) {
                return createForSession(session, path, text, triesLeft);
            }
            if (triesLeft == 0 || !Nodes.isMissing(failure)) {
                return CompletableFuture.failedFuture(failure);
            }
            var unused = session.create(paths.sessions(), acl.in(session), CreateMode.CONTAINER);
            return createForSession(session, path, text, triesLeft - 1);
        });
    }

    private void addEntry(List<Op> ops, Session session, Claim claim, int version) {
        String lock = paths.lock(claim.key());
        byte[] data = NodeData.of(claim, Place.tokens(claim), session.timeout);
        ops.add(Op.create(
                lock + "/" + QueuedClaim.prefix(claim), data, acl.in(session), CreateMode.EPHEMERAL_SEQUENTIAL));
        ops.add(Op.setData(lock, NOTHING, version));
    }

    private static Entry entry(List<OpResult> results) {
        OpResult.CreateResult created = (OpResult.CreateResult) results.get(results.size() - 2);
        Stat lock = ((OpResult.SetDataResult) results.get(results.size() - 1)).getStat();
        String path = created.getPath();
        QueuedClaim queued = QueuedClaim.parse(path.substring(path.lastIndexOf('/') + 1));
        return new Entry(path, queued.sequence(), lock, lock.getNumChildren() == 1);
    }

    /** What came of a claim that does not wait: it stands, or there are these, or somebody was faster and may be gone. */
    record Attempt(Optional<Entry> entry, List<QueuedClaim> others) {
        boolean isDecided() {
            return entry.isPresent() || !others.isEmpty();
        }
    }

    /**
     * Enters only if nobody has a claim: two requests. What is listed may be old. If it says that nobody is there, the
     * version tells; if it says that somebody is, or the version was another one, it is listed anew, up to date.
     *
     * <p>A reader enters if others only read. Whether that was still so, it has to find out afterwards.
     */
    CompletableFuture<Attempt> createIfFree(Session session, Claim claim) {
        return attempt(session, claim, session.list(paths.lock(claim.key())))
                .thenCompose(attempt -> attempt.entry().isPresent()
                        ? CompletableFuture.completedFuture(attempt)
                        : createIfFree(session, claim, MOST_TRIES));
    }

    private CompletableFuture<Attempt> createIfFree(Session session, Claim claim, int triesLeft) {
        String lock = paths.lock(claim.key());
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
            List<QueuedClaim> others = found.map(Session.Listed::children)
                    .map(QueuedClaim::inOrder)
                    .orElse(List.of());
            if (claim.shared() && others.stream().allMatch(QueuedClaim::isReader)) {
                // Readers come and go, so nothing can be said of others on condition that none has come since.
                return create(session, claim).thenApply(entry -> new Attempt(Optional.of(entry), List.of()));
            }
            if (!others.isEmpty()) {
                return CompletableFuture.completedFuture(new Attempt(Optional.empty(), others));
            }
            CompletableFuture<Entry> created = found.isPresent()
                    ? create(session, claim, found.get().stat().getVersion(), false, 3)
                            .thenApply(entry -> entry.afterListingWithoutClaims(found.get()))
                    : createBelow(session, claim, NEW, false, 3);
            return Futures.recover(
                    created.thenApply(entry -> new Attempt(Optional.of(entry), List.of())),
                    failure -> Errors.is(failure, Code.BADVERSION)
                            ? CompletableFuture.completedFuture(new Attempt(Optional.empty(), List.of()))
                            : CompletableFuture.failedFuture(failure));
        });
    }

    /** Gives back and stands at the end of the queue. */
    CompletableFuture<Entry> replace(Place.Node held, Claim next) {
        List<Op> ops = new ArrayList<>(3);
        ops.add(Op.delete(held.path(), ANY_VERSION));
        addEntry(ops, held.session(), next, ANY_VERSION);
        return held.session().multi(ops).thenApply(ClaimCreator::entry);
    }
}
