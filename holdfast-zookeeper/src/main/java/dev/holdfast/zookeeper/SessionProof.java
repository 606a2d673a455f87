package dev.holdfast.zookeeper;

import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Until when one session cannot have been given up by the servers. Pure arithmetic over what was sent and answered.
 *
 * <p>The leader counts a session's time from the last sign of life that <em>it</em> was told of, and a follower tells it
 * only now and then. So two facts are needed, and both are taken with all of their doubt:
 *
 * <ol>
 *   <li>A quorum carried out a write of ours, sent at w. A leader chosen later counts from the beginning, after w. Until
 *       w + timeout - margin.
 *   <li>A request of ours, sent at s, had been answered a whole margin before w. In that time the server that answered it
 *       has passed the sign on, or has lost its leader and with it our connection; and since the write went the same way
 *       afterwards, it had not. Until s + timeout.
 * </ol>
 *
 * <p>The first alone would not do: where requests are rare, the last sign before the follower was cut off may be much
 * older than the margin. docs/zookeeper.md has the long form.
 */
final class SessionProof {
    private record Sign(long sentNanos, long heardNanos) {}

    private final long timeoutNanos;
    private final long marginNanos;
    private final long driftNanos;
    private final long spacingNanos;
    // Guards what follows but validUntil. Held for a few comparisons.
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Sign> young = new ArrayDeque<>();
    private @Nullable Sign old;
    private @Nullable Long writtenNanos;
    private @Nullable Long newestNanos;
    private volatile long validUntilNanos;

    /** Knows nothing yet: over from the beginning. */
    SessionProof(Timing timing, Duration timeout, long nowNanos) {
        this.timeoutNanos = timeout.toNanos();
        this.marginNanos = timing.marginNanos();
        this.driftNanos = Validity.driftNanos(timeout);
        this.spacingNanos = Timing.beatNanos(timeout) / 4;
        this.validUntilNanos = nowNanos;
    }

    /**
     * A server has taken the session over, or it has begun. For that the leader itself was asked, after the given time.
     * Signs that went to another server may never have reached the leader.
     */
    void connected(long afterNanos) {
        lock.lock();
        try {
            young.clear();
            old = new Sign(afterNanos, afterNanos);
            writtenNanos = later(writtenNanos, afterNanos);
            conclude();
        } finally {
            lock.unlock();
        }
    }

    /** A request was answered. */
    void heard(long sentNanos, long heardNanos, boolean written) {
        lock.lock();
        try {
            newestNanos = later(newestNanos, sentNanos);
            if (young.isEmpty() || sentNanos - young.getLast().sentNanos() >= spacingNanos) {
                young.add(new Sign(sentNanos, heardNanos));
            }
            if (written) {
                writtenNanos = later(writtenNanos, sentNanos);
                conclude();
            }
        } finally {
            lock.unlock();
        }
    }

    /** When the newest request that was answered was sent; null if none was. */
    @Nullable
    Long newestNanos() {
        lock.lock();
        try {
            return newestNanos;
        } finally {
            lock.unlock();
        }
    }

    long validUntilNanos() {
        return validUntilNanos;
    }

    private void conclude() {
        if (writtenNanos == null) {
            return;
        }
        while (!young.isEmpty() && young.getFirst().heardNanos() + marginNanos - writtenNanos <= 0) {
            old = young.removeFirst();
        }
        if (old == null) {
            return;
        }
        long byWrite = writtenNanos + timeoutNanos - marginNanos;
        long bySign = old.sentNanos() + timeoutNanos;
        long proven = (byWrite - bySign < 0 ? byWrite : bySign) - driftNanos;
        // What was proven once stays true.
        if (proven - validUntilNanos > 0) {
            validUntilNanos = proven;
        }
    }

    private static long later(@Nullable Long known, long nanos) {
        return known == null || nanos - known > 0 ? nanos : known;
    }
}
