package dev.holdfast.proving.check;

import java.time.Duration;

/**
 * What lateness is measured by.
 *
 * @param lease for how long the lock is kept for a process that died
 * @param freeAfter after what time the documents say that the lock of a dead process is free: the lease, or a little more where the
 *     store counts coarsely
 */
public record Limits(Duration lease, Duration freeAfter) {
    private static final Duration GRACE = Duration.ofSeconds(1);

    public long noticeNanos() {
        return lease.plus(GRACE).toNanos();
    }

    public long freeNanos() {
        return freeAfter.plus(GRACE).toNanos();
    }
}
