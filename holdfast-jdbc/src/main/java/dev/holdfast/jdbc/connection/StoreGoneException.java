package dev.holdfast.jdbc.connection;

/**
 * The name of the lock file leads to another file than the one this step was done in, or to none. What was done there is
 * seen by nobody who comes later.
 */
public final class StoreGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreGoneException(String message) {
        super(message);
    }
}
