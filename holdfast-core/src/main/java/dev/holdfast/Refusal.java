package dev.holdfast;

import dev.holdfast.spi.Failures;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a waiter got no lease. Turned into an exception only where somebody wants one, on the thread that asked.
 *
 * @param waitedNanos zero: asked once
 * @param heldBy the holder as the backend named it, this process itself, or null if nobody knows
 * @param heldByThread set if the lock is held in this very process: the thread that acquired it, or a dash
 * @param heldHereAgoNanos how long ago this process held it, if that is the last thing known of it; else NEVER
 */
record Refusal(
        Kind kind,
        String key,
        long waitedNanos,
        @Nullable Holder heldBy,
        @Nullable String heldByThread,
        long heldHereAgoNanos,
        @Nullable Throwable cause) {
    enum Kind {
        BUSY,
        UNAVAILABLE,
        CLOSED
    }

    HoldfastException toException() {
        return switch (kind) {
            case BUSY ->
                new LockTimeoutException(
                        LockKey.describeCapitalized(key) + " is busy: " + holderText() + ". "
                                + (waitedNanos == 0
                                        ? "Did not wait"
                                        : "Waited " + Texts.ofNanos(waitedNanos) + " and withdrew")
                                + "; nothing is held.",
                        name(),
                        heldBy,
                        Duration.ofNanos(waitedNanos));
            case UNAVAILABLE -> unavailable();
            case CLOSED ->
                new HoldfastClosedException(
                        "This Holdfast is closed, " + LockKey.describe(key) + " was not acquired. Waited "
                                + Texts.ofNanos(waitedNanos) + "; nothing is held.",
                        name());
        };
    }

    private HoldfastException unavailable() {
        String reason = cause == null ? "no answer" : Failures.describe(cause);
        String message = LockKey.describeCapitalized(key) + " is unavailable, which is not the same as busy: " + reason
                + ". Tried for "
                + Texts.ofNanos(waitedNanos) + "; whatever the backend may still grant is withdrawn.";
        return new LockUnavailableException(message, name(), heldBy, Duration.ofNanos(waitedNanos), cause);
    }

    String name() {
        return LockKey.nameIn(key);
    }

    private String holderText() {
        if (LockKey.kindOf(key) == LockKind.SEMAPHORE) {
            return heldBy == null
                    ? "all permits are taken, or others asked before"
                    : "all permits are taken, one of them by " + heldBy;
        }
        if (heldByThread != null) {
            return "held in this process, acquired by thread " + heldByThread
                    + " (a lease is not reentrant; for reentrancy use asLock())";
        }
        if (heldHereAgoNanos != Alarm.NEVER) {
            return "held in this process until " + Texts.ofNanos(heldHereAgoNanos)
                    + " ago, and others were in front of this caller";
        }
        return heldBy == null ? "held, or others asked before" : "held by " + heldBy;
    }
}
