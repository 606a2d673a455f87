package dev.holdfast.spi;

/** What became of one item of a renewal batch. */
public sealed interface Renewal {
    /** Extended: valid until then on {@link Environment#nanoTime()}, drift already taken off. */
    record Renewed(long validUntilNanos) implements Renewal {}

    /** Proof that this tenure is over: expired, broken, or forgotten by the backend. */
    record Gone() implements Renewal {}

    /** No proof either way. Core keeps trying until the validity ends. */
    record Unknown(Throwable cause) implements Renewal {}
}
