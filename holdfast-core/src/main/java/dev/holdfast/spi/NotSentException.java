package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * Proof that a step did nothing, so nothing has to be undone: it was not sent, or the store answered that it did not carry
 * it out (still loading, out of memory, rolled back). Trying again may work.
 */
public final class NotSentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotSentException(String message, @Nullable Throwable cause) {
        super(Secrets.mask(message), cause == null ? null : Secrets.mask(cause));
    }
}
