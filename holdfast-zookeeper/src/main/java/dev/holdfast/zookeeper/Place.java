package dev.holdfast.zookeeper;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Validity;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * What this process has, or is about to have, at the servers under one owner. Its fields are written by whoever asks for
 * it, one at a time, or on the thread of the session.
 */
final class Place implements Watcher {
    /**
     * @param czxid of the node: the transaction that created it
     * @param slot which slot of a semaphore it is; negative if it is a claim in a queue
     */
    record Node(Session session, String path, long czxid, int slot) {
        private static final int NO_SLOT = -1;

        static Node claim(Session session, String path, long czxid) {
            return new Node(session, path, czxid, NO_SLOT);
        }

        boolean isSlot() {
            return slot != NO_SLOT;
        }

        /** The node of the key. */
        String parent() {
            return path.substring(0, path.lastIndexOf('/'));
        }
    }

    /** Fixed by the protocol: a zxid has room for so many tokens before the next one begins. */
    static final int TOKENS_PER_ZXID = 16;

    /** Hears that something has happened to the node in front, or to the slots. */
    interface FrontListener {
        /**
         * It was written to, or it is gone.
         *
         * @param turn it was the last that this claim waited for, and it is gone: so it is our turn now
         */
        void onFrontEvent(Place place, Node node, boolean turn);
    }

    final Claim claim;
    private final FrontListener listener;
    /** The question under way. Read and written only inside a step of the map that holds this place. */
    @Nullable
    CompletableFuture<Answer> asking;

    volatile @Nullable Node node;
    volatile boolean granted;
    /** The node that was first in the queue when we were seen to wait for it; null while we wait for others before. */
    volatile @Nullable String lastInFront;

    /** The last change of the queue after which it was seen to be our turn; a zxid is never given out twice. */
    volatile long turnSinceZxid;

    /**
     * A request was sent that takes a slot and leaves the queue, and its answer is not there: the node may be another one than
     * is noted.
     */
    volatile boolean unsure;

    /** When the lease ends by itself; only while granted. */
    volatile long leaseEndsNanos;

    Place(Claim claim, FrontListener listener) {
        this.claim = claim;
        this.listener = listener;
    }

    int tokens() {
        return tokens(claim);
    }

    static int tokens(Claim claim) {
        return Math.min(claim.tokens(), TOKENS_PER_ZXID);
    }

    static long lastToken(long czxid, int tokens) {
        return Math.addExact(Math.multiplyExact(czxid, (long) TOKENS_PER_ZXID), tokens - 1);
    }

    boolean isHeld(Node held, Holding holding) {
        return granted && lastToken(held.czxid(), tokens()) == holding.lastToken() && slot(held) == holding.slot();
    }

    private static int slot(Node held) {
        return held.isSlot() ? held.slot() : 0;
    }

    /** The grant, as far as it is proven. The lease counts from the given time. */
    Grant grant(Node held, long sinceNanos) {
        long byLease = Validity.until(sinceNanos, claim.lease());
        long bySession = held.session().proof.validUntilNanos();
        return Grant.full(lastToken(held.czxid(), tokens()), tokens(), bySession - byLease < 0 ? bySession : byLease)
                .ofSlot(slot(held));
    }

    /** Granted, or longer than before: renewal never shortens. */
    void hold(long untilNanos) {
        if (!granted || untilNanos - leaseEndsNanos > 0) {
            leaseEndsNanos = untilNanos;
        }
        granted = true;
    }

    /** The node is gone, or is about to be removed. */
    void forgetNode() {
        node = null;
        granted = false;
        unsure = false;
    }

    @Override
    public void process(WatchedEvent event) {
        Node standing = node;
        if (standing == null) {
            return;
        }
        switch (event.getType()) {
            // Anybody may have written to it, or taken a slot: a reason to look, and no more.
            case NodeDataChanged, NodeChildrenChanged -> listener.onFrontEvent(this, standing, false);
            case NodeDeleted -> listener.onFrontEvent(this, standing, Objects.equals(event.getPath(), lastInFront));
            default -> {
                // News of the connection, which SessionTracker hears as well.
            }
        }
    }
}
