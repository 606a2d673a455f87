package dev.holdfast;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Proof that the lock was busy and that this caller holds nothing: it waited as long as it wanted to, and withdrew. */
public final class LockTimeoutException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final @Nullable Holder holder;
    private final Duration waited;

    LockTimeoutException(String message, String lockName, @Nullable Holder holder, Duration waited) {
        super(message);
        this.lockName = lockName;
        this.holder = holder;
        this.waited = waited;
    }

    /** The name of the lock. */
    public String lockName() {
        return lockName;
    }

    /** Who held it when the store was last asked; empty where that is not known. May be this very process. */
    public Optional<Holder> holder() {
        return Optional.ofNullable(holder);
    }

    /** How long this caller waited; zero if it asked only once. */
    public Duration waited() {
        return waited;
    }
}
