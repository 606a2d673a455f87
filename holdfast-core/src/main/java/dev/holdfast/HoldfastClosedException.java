package dev.holdfast;

import java.util.Optional;

/** This {@link Holdfast} was closed: nothing can be acquired through it any more, and this caller holds nothing. */
public final class HoldfastClosedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;

    HoldfastClosedException(String message, String lockName) {
        super(message);
        this.lockName = lockName;
    }

    /** The name of the lock that was asked for; empty if it was none in particular. */
    public Optional<String> lockName() {
        return lockName.isEmpty() ? Optional.empty() : Optional.of(lockName);
    }
}
