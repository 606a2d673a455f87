package dev.holdfast.spring.boot;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.LockBackend;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store that was chosen. Nothing is connected yet.
 *
 * @param kind null if the application has a backend of its own
 * @param store for people
 * @param clientBean the bean that must outlive the locks, if there is one
 */
record BackendChoice(
        @Nullable BackendKind kind, String store, @Nullable String clientBean, Supplier<LockBackend> connector) {

    /** Blocks until the store has answered, where the backend does so. */
    LockBackend connect() {
        try {
            return connector.get();
        } catch (LockUnavailableException e) {
            throw new HoldfastStartupException(
                    "Holdfast cannot store locks in " + store + ": " + e.getMessage(),
                    "Start that store, or correct its address and credentials. Once the application runs, it waits until a"
                            + " store that fails is back.",
                    e);
        }
    }
}
