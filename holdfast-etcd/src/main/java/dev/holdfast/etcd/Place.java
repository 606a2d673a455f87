package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LockKind;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this process has, or is about to have, at the servers under one owner. Its fields are written by whoever asks for it, one
 * at a time; {@code lease} also by its renewal, {@code leaseEndsNanos} and {@code granted} inside a step of the map.
 */
final class Place {
    final Claim claim;
    /** All who stand under the key of the claim, and what all of them begin with. */
    final Keys.Range line;

    final ByteString queue;

    /** Of those, readers and slots are shares, the others are claims. A lock has claims alone. */
    final Keys.Range claims;

    final Keys.Range shares;

    /** Where nobody must be for it to be granted at once. */
    final Keys.Range ahead;

    /** What it gets then: of a semaphore the first slot. */
    final ByteString firstKey;

    private final ByteString claimKey;
    private final long claimedMicros;

    /** The claim; once it has a slot, that. */
    volatile ByteString key;

    private volatile int slot;

    /** A slot was asked for, and nobody knows whether it was given, or will be. */
    volatile boolean mayHaveSlot;

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
        this.line = keys.line(claim.key());
        boolean isLock = claim.kind() == LockKind.LOCK;
        this.claims = isLock ? line : keys.claims(claim.key());
        this.shares = isLock ? line : keys.shares(claim.key());
        this.ahead = claim.shared() ? claims : line;
        this.claimKey =
                claim.shared() ? keys.reader(claim.key(), claim.owner()) : keys.claim(claim.key(), claim.owner());
        this.queue = Keys.keyOf(claimKey);
        this.firstKey = isForSlot() ? keys.slot(claim.key(), 0) : claimKey;
        this.key = claimKey;
        this.claimedMicros = claimedMicros;
    }

    boolean isForSlot() {
        return claim.kind() == LockKind.SEMAPHORE;
    }

    /** What the key says. */
    ByteString value() {
        return value(claim.lease());
    }

    ByteString value(Duration lease) {
        return ClaimData.encode(claim, lease, claimedMicros);
    }

    /** Nobody was there: the claim, or the first slot, was created so. */
    void enteredFirst(long createRevision) {
        key = firstKey;
        revision = createRevision;
    }

    /** A slot was created so; its claim is gone. */
    void hasSlot(ByteString slotKey, int number, long createRevision) {
        key = slotKey;
        slot = number;
        revision = createRevision;
        mayHaveSlot = false;
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

    /** The nearest that it waits for, among all up to this claim. */
    @Nullable
    KeyValue inTheWay(List<KeyValue> upToThis) {
        for (int i = upToThis.size() - 2; i >= 0; i--) {
            if (ahead.contains(upToThis.get(i).getKey())) {
                return upToThis.get(i);
            }
        }
        return null;
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
        return Grant.full(lastToken(), ClaimData.tokens(claim), byServers - byClaim < 0 ? byServers : byClaim)
                .ofSlot(slot);
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
        key = claimKey;
        slot = 0;
        mayHaveSlot = false;
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
