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
    /** @param czxid of the node: the transaction that created it */
    record Node(Session session, String path, int sequence, long czxid) {
        /** The node of the name. */
        String parent() {
            return path.substring(0, path.lastIndexOf('/'));
        }
    }

    /** Fixed by the protocol: a zxid has room for so many tokens before the next one begins. */
    static final int TOKENS_PER_ZXID = 16;

    /** Hears that something has happened to the node in front. */
    interface FrontListener {
        /**
         * It was written to, or it is gone.
         *
         * @param first it was the first in the queue, we were next, and it is gone: so we are the first now
         */
        void onFrontEvent(Place place, Node node, boolean first);
    }

    final Claim claim;
    private final FrontListener listener;
    /** The question under way. Read and written only inside a step of the map that holds this place. */
    @Nullable
    CompletableFuture<Answer> asking;

    volatile @Nullable Node node;
    volatile boolean granted;
    /** The node that was first in the queue when we were seen to be next; null while others stand between. */
    volatile @Nullable String firstInFront;

    /** The last change of the queue after which we were seen to be the first; a zxid is never given out twice. */
    volatile long firstSinceZxid;

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
        return granted && lastToken(held.czxid(), tokens()) == holding.lastToken();
    }

    /** The grant, as far as it is proven. The lease counts from the given time. */
    Grant grant(Node held, long sinceNanos) {
        long byLease = Validity.until(sinceNanos, claim.lease());
        long bySession = held.session().proof.validUntilNanos();
        return Grant.full(lastToken(held.czxid(), tokens()), tokens(), bySession - byLease < 0 ? bySession : byLease);
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
    }

    @Override
    public void process(WatchedEvent event) {
        Node standing = node;
        if (standing == null) {
            return;
        }
        switch (event.getType()) {
            // Anybody may have written to it: a reason to look, and no more.
            case NodeDataChanged -> listener.onFrontEvent(this, standing, false);
            case NodeDeleted -> listener.onFrontEvent(this, standing, Objects.equals(event.getPath(), firstInFront));
            default -> {
                // News of the connection, which SessionTracker hears as well.
            }
        }
    }
}
