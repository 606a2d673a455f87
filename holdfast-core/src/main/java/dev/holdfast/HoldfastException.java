package dev.holdfast;

import dev.holdfast.spi.Secrets;
import org.jspecify.annotations.Nullable;

/**
 * The root of everything that Holdfast throws at run time; mistakes in the program (bad arguments, a closed lease that is used)
 * are ordinary {@code IllegalArgumentException} and {@code IllegalStateException}. Each subclass says what it proves about the
 * lock. All can be serialised. Messages and causes never show a password.
 */
public sealed class HoldfastException extends RuntimeException
        permits LockTimeoutException,
                LockUnavailableException,
                LeaseLostException,
                StaleTokenException,
                WrongGenerationException,
                HoldfastClosedException {
    private static final long serialVersionUID = 1L;

    HoldfastException(String message, @Nullable Throwable cause) {
        super(Secrets.mask(message), cause == null ? null : Secrets.mask(cause));
    }

    HoldfastException(String message) {
        super(Secrets.mask(message));
    }
}
