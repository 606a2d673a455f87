package dev.holdfast;

/**
 * The backend could not be reached, or refused for a reason that is not "busy". This caller holds nothing it could use:
 * whatever the backend may still have granted is being withdrawn, and expires by itself at the latest after one lease.
 */
public final class LockUnavailableException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** Also for the factories of backends, whose first connection fails. */
    public LockUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }

    LockUnavailableException(String message) {
        super(message);
    }
}
