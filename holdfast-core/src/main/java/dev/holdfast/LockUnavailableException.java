package dev.holdfast;

import dev.holdfast.spi.Secrets;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The backend could not be reached, or refused for a reason that is not "busy". This caller holds nothing it could use:
 * whatever the backend may still have granted is being withdrawn, and expires by itself at the latest after one lease. The
 * {@linkplain #getCause cause}, where there is one, is what the backend said.
 */
public final class LockUnavailableException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String lockName;
    private final @Nullable Holder holder;
    private final Duration waited;

    /** For backends, whose first connection fails. */
    public LockUnavailableException(String message, Throwable cause) {
        this(message, null, null, Duration.ZERO, cause);
    }

    LockUnavailableException(
            String message,
            @Nullable String lockName,
            @Nullable Holder holder,
            Duration waited,
            @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
        this.holder = holder;
        this.waited = waited;
    }

    /** The name of the lock; empty if this is not about one lock, but about the backend. */
    public Optional<String> lockName() {
        return Optional.ofNullable(lockName);
    }

    /** Who held the lock when the backend last answered; empty where that is not known. */
    public Optional<Holder> holder() {
        return Optional.ofNullable(holder);
    }

    /** For how long it was tried. */
    public Duration waited() {
        return waited;
    }

    /** The exceptions of a driver may hold what cannot be serialised: then a stand-in goes, which prints the same. */
    private Object writeReplace() {
        Throwable cause = getCause();
        if (cause == null || isSerializable(cause)) {
            return this;
        }
        LockUnavailableException sent = new LockUnavailableException(
                String.valueOf(getMessage()), lockName, holder, waited, Secrets.standIn(cause));
        sent.setStackTrace(getStackTrace());
        return sent;
    }

    private static boolean isSerializable(Throwable cause) {
        try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
            out.writeObject(cause);
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
