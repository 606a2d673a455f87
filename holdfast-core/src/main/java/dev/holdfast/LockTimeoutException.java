package dev.holdfast;

/** Proof that the lock was busy and that this caller holds nothing: it waited as long as it wanted to, and withdrew. */
public final class LockTimeoutException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    LockTimeoutException(String message) {
        super(message);
    }
}
