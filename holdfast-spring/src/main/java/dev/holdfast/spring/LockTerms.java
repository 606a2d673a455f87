package dev.holdfast.spring;

import dev.holdfast.DistributedLock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a lock is taken and kept. What is null is left as Holdfast was built. */
record LockTerms(
        Duration maxWait,
        @Nullable Duration lease,
        @Nullable Duration atLeast,
        @Nullable Duration atMost) {
    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);
    static final LockTerms DEFAULT = new LockTerms(DEFAULT_WAIT, null, null, null);

    DistributedLock applyTo(DistributedLock lock) {
        DistributedLock with = lock;
        if (lease != null) {
            with = with.withLease(lease);
        }
        if (atMost != null) {
            with = with.heldAtMost(atMost);
        }
        return atLeast == null ? with : with.heldAtLeast(atLeast);
    }
}
