package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Why a waiter got no lease. Turned into an exception only where somebody wants one, on the thread that asked.
 *
 * @param waitedNanos zero: asked once
 * @param heldBy the holder as the backend named it, or null
 * @param heldByThread set if the lock is held in this very process: the thread that acquired it, or a dash
 */
record Refusal(
        Kind kind,
        String name,
        long waitedNanos,
        @Nullable Holder heldBy,
        @Nullable String heldByThread,
        @Nullable Throwable cause) {
    enum Kind {
        BUSY,
        UNAVAILABLE,
        CLOSED
    }

    HoldfastException toException() {
        return switch (kind) {
            case BUSY ->
                new LockTimeoutException("Lock '" + name + "' is busy: " + holderText() + ". "
                        + (waitedNanos == 0 ? "Did not wait" : "Waited " + Texts.ofNanos(waitedNanos) + " and withdrew")
                        + "; nothing is held.");
            case UNAVAILABLE -> unavailable();
            case CLOSED ->
                new HoldfastClosedException("This Holdfast is closed, lock '" + name + "' was not acquired. Waited "
                        + Texts.ofNanos(waitedNanos) + "; nothing is held.");
        };
    }

    private HoldfastException unavailable() {
        String reason = cause == null ? "no answer" : String.valueOf(cause.getMessage());
        String message = "Lock '" + name + "' is unavailable, which is not the same as busy: " + reason + ". Tried for "
                + Texts.ofNanos(waitedNanos) + "; whatever the backend may still grant is withdrawn.";
        return cause == null ? new LockUnavailableException(message) : new LockUnavailableException(message, cause);
    }

    private String holderText() {
        if (heldByThread != null) {
            return "held in this process, acquired by thread " + heldByThread
                    + " (a lease is not reentrant; for reentrancy use asLock())";
        }
        return heldBy == null ? "held by another process" : "held by " + heldBy;
    }
}
