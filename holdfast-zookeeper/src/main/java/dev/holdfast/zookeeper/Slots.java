package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads and takes the slots of semaphores. Each method is one request unless it says otherwise.
 *
 * <p>A slot is taken on condition that no slot of the semaphore has been taken since the view by which it was chosen: every
 * taking writes to the node of the slots, at the version that was seen. So a slot that is seen free is free, and an owner that is
 * seen to have none has none, also if an earlier request of its own was lost and arrives later.
 *
 * <p>Versions begin anew where a server has removed the node of the slots, so a very old view may seem to be a new one. That is
 * noticed by the zxid that created the node. Should two nodes be there for one slot, the one that was created first holds it:
 * both find that out alike.
 */
final class Slots {
    private static final byte[] NOTHING = new byte[0];
    /** The version of a node that nobody has written to. */
    private static final int NEW = 0;

    private static final int ANY_VERSION = -1;

    private final Paths paths;
    private final NewNodeAcl acl;
    private final ClaimCreator creator;

    Slots(Paths paths, NewNodeAcl acl, ClaimCreator creator) {
        this.paths = paths;
        this.acl = acl;
        this.creator = creator;
    }

    // ---- looking

    CompletableFuture<SemaphoreView> look(Session session, String key) {
        String slots = paths.slots(key);
        // In this order: see SemaphoreView.
        List<Op> reads = List.of(Op.getData(slots), Op.getChildren(slots), Op.getChildren(paths.lock(key)));
        return session.readAll(reads).thenApply(results -> {
            OpResult node = results.get(0);
            return new SemaphoreView(
                    QueuedClaim.inOrder(children(results.get(2))),
                    Nodes.isMissing(node) ? null : ((OpResult.GetDataResult) node).getStat(),
                    TakenSlot.of(children(results.get(1))));
        });
    }

    private static List<String> children(OpResult result) {
        return Nodes.isMissing(result) ? List.of() : ((OpResult.GetChildrenResult) result).getChildren();
    }

    /** The slots that are taken, and a watch that tells of the next one that is taken or free; empty if none ever was. */
    CompletableFuture<Optional<Session.Listed>> watch(Session session, String key, Watcher watcher) {
        return session.list(paths.slots(key), watcher);
    }

    /**
     * A node of this owner's that was found, as a holder: no other node of the same slot is older, and it is of this session.
     * Empty if it does not hold the slot, or is gone.
     */
    CompletableFuture<Optional<Place.Node>> held(Session session, String key, SemaphoreView view, TakenSlot own) {
        List<TakenSlot> rivals =
                view.taken().stream().filter(each -> each.slot() == own.slot()).toList();
        List<Op> reads = new ArrayList<>();
        rivals.forEach(each -> reads.add(Op.getData(paths.slot(key, each))));
        return session.readAll(reads).thenApply(results -> {
            Stat ours = null;
            long oldest = Long.MAX_VALUE;
            for (int i = 0; i < results.size(); i++) {
                if (Nodes.isMissing(results.get(i))) {
                    continue;
                }
                Stat stat = ((OpResult.GetDataResult) results.get(i)).getStat();
                oldest = Math.min(oldest, stat.getCzxid());
                ours = rivals.get(i).equals(own) ? stat : ours;
            }
            return ours == null || ours.getCzxid() != oldest || ours.getEphemeralOwner() != session.id
                    ? Optional.empty()
                    : Optional.of(new Place.Node(session, paths.slot(key, own), oldest, own.slot()));
        });
    }

    // ---- taking

    /**
     * A slot that is ours.
     *
     * @param proven false: the view was one of an earlier node of the slots, so it has to be looked at again
     */
    record Taken(Place.Node node, boolean proven) {}

    /**
     * Takes the slot, and leaves the queue with the same step.
     *
     * @param claim its place in the queue; null if it does not stand there
     */
    CompletableFuture<Taken> take(
            Session session, Claim wanted, int slot, SemaphoreView view, Place.@Nullable Node claim) {
        boolean anonymous = session.isAnonymous();
        String slots = paths.slots(wanted.key());
        Stat seen = view.slots();
        List<Op> ops = new ArrayList<>(4);
        if (claim != null) {
            ops.add(Op.delete(claim.path(), ANY_VERSION));
        }
        if (seen == null) {
            ops.add(Op.create(slots, NOTHING, acl.in(session), CreateMode.CONTAINER));
        }
        ops.add(Op.create(
                slots + "/" + TakenSlot.prefix(slot, wanted.owner()),
                NodeData.of(wanted, Place.tokens(wanted), session.timeout),
                acl.in(session),
                CreateMode.EPHEMERAL_SEQUENTIAL));
        // Behind the creation: whoever sees this version sees the slot, too.
        ops.add(Op.setData(slots, NOTHING, seen == null ? NEW : seen.getVersion()));
        return Futures.recover(
                session.multi(ops).thenApply(results -> taken(session, slot, seen, results)),
                failure -> acl.isFoundAnonymous(session, anonymous, failure)
                        ? take(session, wanted, slot, view, claim)
                        : CompletableFuture.failedFuture(failure));
    }

    private static Taken taken(Session session, int slot, @Nullable Stat seen, List<OpResult> results) {
        String path = ((OpResult.CreateResult) results.get(results.size() - 2)).getPath();
        Stat node = ((OpResult.SetDataResult) results.get(results.size() - 1)).getStat();
        return new Taken(
                new Place.Node(session, path, node.getMzxid(), slot),
                seen == null || seen.getCzxid() == node.getCzxid());
    }

    /** Whether others came first, or nodes are missing: nothing was carried out, and a new look may find another slot. */
    static boolean isOutrun(Throwable failure) {
        return Errors.is(failure, Code.BADVERSION) || Errors.is(failure, Code.NODEEXISTS) || Nodes.isMissing(failure);
    }

    /** Makes what may be missing above the slots. */
    void makeParents(Session session, String key) {
        creator.makeParents(session, key, true);
    }
}
