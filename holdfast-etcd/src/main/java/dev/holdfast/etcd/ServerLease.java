package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lease that the servers keep for this process. The keys of many claims hang on it, and end with it.
 *
 * <p>Beside it stands its <em>guard</em>, a key that every claim is compared with as it is created. If nobody knows what became
 * of a claim, the guard is removed: whenever that request arrives, also hours later from a member that stood still, it creates
 * nothing.
 */
final class ServerLease {
    /** Servers make more of less. */
    private static final long LEAST_SECONDS = 2;

    private static final long LONGEST_BEAT_NANOS = 2_000_000_000L;

    final long id;
    final long seconds;
    final ByteString guard;
    /** The revision that created the guard: it does not come twice. */
    final long guardRevision;

    /**
     * Until when the servers cannot have ended it by themselves, on our clock, drift taken off. Written by one beat at a time;
     * never goes back.
     */
    private volatile long provenUntilNanos;

    /** When a claim was last made with it, or is about to be. */
    volatile long usedNanos;

    /** No new claims. */
    volatile boolean retired;

    /** The servers have ended it, or it has lapsed here, or nobody needs it any more. Never false again. */
    volatile boolean over;

    /** The timer of the next beat. A timer that is not this one any more does nothing. */
    final AtomicReference<@Nullable Object> nextBeat = new AtomicReference<>();

    ServerLease(long id, long seconds, ByteString guard, long guardRevision, long provenUntilNanos, long nowNanos) {
        this.id = id;
        this.seconds = seconds;
        this.guard = guard;
        this.guardRevision = guardRevision;
        this.provenUntilNanos = provenUntilNanos;
        this.usedNanos = nowNanos;
    }

    /**
     * Enough for a full lease between two beats, in the whole seconds that servers count. What is rounded up is not believed
     * here; it only makes the lock of a dead process free so much later.
     */
    static long secondsFor(Duration lease) {
        long between = Math.min(LONGEST_BEAT_NANOS, lease.toNanos() / 3);
        return Math.max(LEAST_SECONDS, lease.plusNanos(between + 999_999_999L).toSeconds());
    }

    Duration duration() {
        return Duration.ofSeconds(seconds);
    }

    /** Six beats in its time, and one every two seconds at least. */
    Duration beat() {
        return Duration.ofNanos(Math.min(LONGEST_BEAT_NANOS, duration().toNanos() / 6));
    }

    long provenUntilNanos() {
        return provenUntilNanos;
    }

    void prove(long untilNanos) {
        if (untilNanos - provenUntilNanos > 0) {
            provenUntilNanos = untilNanos;
        }
    }

    boolean hasLapsed(Environment environment) {
        return environment.nanoTime() - provenUntilNanos >= 0;
    }

    /** Whether most of such a lease can be promised with it at once. */
    boolean covers(Duration lease, long nowNanos) {
        return !over && !retired && provenUntilNanos - nowNanos >= lease.toNanos() / 4 * 3;
    }
}
