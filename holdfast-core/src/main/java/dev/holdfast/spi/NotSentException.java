package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** Proof that a step was not sent to the store, so nothing has to be undone. Trying again may work. */
public final class NotSentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotSentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
