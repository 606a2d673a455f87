package dev.holdfast.tck;

import dev.holdfast.spi.LockBackend;

/**
 * Makes clients in a process that knows nothing but a class name and an address. Implementations are public and have a
 * public constructor without parameters.
 */
public interface ClientFactory {
    /** A new client of the store at this address. It is closed by whoever asked for it. */
    LockBackend connect(String url);
}
