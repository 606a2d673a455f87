package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Validity;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this process has, or is about to have, at the servers under one owner. Its fields are written by whoever asks for it, one
 * at a time; {@code lease} also by its renewal, {@code leaseEndsNanos} and {@code granted} inside a step of the map.
 */
final class Place {
    final Claim claim;
    final ByteString queue;
    final ByteString key;
    final long claimedMicros;
    /** The question under way. Read and written only inside a step of the map that holds this place. */
    @Nullable
    CompletableFuture<Answer> asking;

    /** On which the key hangs; null before the first request. */
    volatile @Nullable ServerLease lease;

    /** The one that created the key; zero while there is none that we know of. */
    volatile long revision;

    volatile boolean granted;
    /** When the lease ends by itself; only while granted. */
    volatile long leaseEndsNanos;

    private volatile Watches.@Nullable Handle watch;

    Place(Claim claim, Keys keys, long claimedMicros) {
        this.claim = claim;
        this.queue = keys.queue(claim.key());
        this.key = keys.claim(claim.key(), claim.owner());
        this.claimedMicros = claimedMicros;
    }

    /** The question under way: this one, unless there is another already. Inside a step of the map. */
    CompletableFuture<Answer> askedBy(CompletableFuture<Answer> answer) {
        CompletableFuture<Answer> first = asking == null ? answer : asking;
        asking = first;
        return first;
    }

    /** Whether this is our key, and not another one in its place or the same one on another lease. */
    boolean isAt(KeyValue found) {
        ServerLease mine = lease;
        return mine != null
                && revision != 0
                && found.getCreateRevision() == revision
                && found.getLease() == mine.id
                && found.getKey().equals(key);
    }

    boolean isHeld(Holding holding) {
        return granted && revision != 0 && lastToken() == holding.lastToken();
    }

    private long lastToken() {
        return ClaimData.lastToken(revision, ClaimData.tokens(claim));
    }

    /** The grant, as far as it is proven. The lease counts from the given time. */
    Grant grant(ServerLease on, long sinceNanos) {
        long byClaim = Validity.until(sinceNanos, claim.lease());
        long byServers = on.provenUntilNanos();
        return Grant.full(lastToken(), ClaimData.tokens(claim), byServers - byClaim < 0 ? byServers : byClaim);
    }

    /** Granted, or longer than before: renewal never shortens. */
    void hold(long untilNanos) {
        if (!granted || untilNanos - leaseEndsNanos > 0) {
            leaseEndsNanos = untilNanos;
        }
        granted = true;
    }

    /** The key is gone, or is about to be removed. */
    void forgetKey() {
        revision = 0;
        granted = false;
        watch(null);
    }

    /** Takes the place of the watch before. */
    void watch(Watches.@Nullable Handle next) {
        Watches.Handle before = watch;
        watch = next;
        if (before != null) {
            before.cancel();
        }
    }
}
