package dev.holdfast.spring;

import dev.holdfast.LockTimeoutException;

/** Which of several locks was busy. Never leaves this package: a body may throw a timeout of its own, and is not taken for busy. */
final class BusyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int position;
    private final LockTimeoutException timeout;

    BusyException(int position, LockTimeoutException timeout) {
        super(timeout.getMessage(), timeout, false, false);
        this.position = position;
        this.timeout = timeout;
    }

    int position() {
        return position;
    }

    LockTimeoutException timeout() {
        return timeout;
    }
}
