package dev.holdfast.redis.node;

/** A lock was granted, and too few replicas or disks have confirmed it in time: it has to be taken back. */
public final class NotConfirmedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotConfirmedException(String message) {
        super(message);
    }
}
