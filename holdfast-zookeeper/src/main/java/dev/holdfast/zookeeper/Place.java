package dev.holdfast.zookeeper;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Validity;
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
    record Node(Session session, String path, int sequence, long czxid) {}

    /** Fixed by the protocol: a zxid has room for so many tokens before the next one begins. */
    static final int TOKENS_PER_ZXID = 16;

    /** Hears that the node in front has changed. */
    interface Bell {
        void rung(Place place, Node node, boolean released);
    }

    final Claim claim;
    private final Bell bell;
    /** The question under way. Read and written only inside a step of the map that holds this place. */
    @Nullable
    CompletableFuture<Answer> asking;

    volatile @Nullable Node node;
    volatile boolean granted;
    /** At some time somebody stood before us, so somebody may stand behind us. */
    volatile boolean contended;
    /** When the lease ends by itself; only while granted. */
    volatile long leaseEndsNanos;

    Place(Claim claim, Bell bell) {
        this.claim = claim;
        this.bell = bell;
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

    @Override
    public void process(WatchedEvent event) {
        Node standing = node;
        if (standing == null) {
            return;
        }
        switch (event.getType()) {
            case NodeDataChanged -> bell.rung(this, standing, true);
            case NodeDeleted -> bell.rung(this, standing, false);
            default -> {
                // News of the connection, which Link hears as well.
            }
        }
    }
}
