package dev.holdfast.spring.boot;

import dev.holdfast.spi.LockBackend;
import java.util.function.BiFunction;

/**
 * A store that the application has a client for.
 *
 * @param connector makes a backend over the client; may block
 */
record BackendCandidate<C>(
        BackendKind kind, Class<C> clientType, BiFunction<C, HoldfastProperties, LockBackend> connector) {}
