package dev.holdfast;

/** This {@link Holdfast} was closed: nothing can be acquired through it any more, and this caller holds nothing. */
public final class HoldfastClosedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    HoldfastClosedException(String message) {
        super(message);
    }
}
