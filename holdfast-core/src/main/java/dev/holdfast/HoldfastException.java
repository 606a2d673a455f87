package dev.holdfast;

/** The root of everything Holdfast throws, bad arguments apart. */
public sealed class HoldfastException extends RuntimeException
        permits LockTimeoutException,
                LockUnavailableException,
                LeaseLostException,
                StaleTokenException,
                HoldfastClosedException {
    private static final long serialVersionUID = 1L;

    HoldfastException(String message, Throwable cause) {
        super(message, cause);
    }

    HoldfastException(String message) {
        super(message);
    }
}
