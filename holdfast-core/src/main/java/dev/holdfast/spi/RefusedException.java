package dev.holdfast.spi;

/**
 * The store answered, and said no for a reason that trying again does not cure: a wrong password, a missing permission, a
 * missing table. Nothing was granted. The message says what to change.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    public RefusedException(String message) {
        super(message);
    }
}
