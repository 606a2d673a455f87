package dev.holdfast.tck;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.LockBackend;
import java.util.function.Supplier;

/** The first connection, on a machine that may be too busy to open one in the time that a backend gives it. */
final class Connecting {
    private static final int ATTEMPTS = 5;

    private Connecting() {}

    static LockBackend patiently(Supplier<LockBackend> connect) {
        for (int attempt = 1; ; attempt++) {
            try {
                return connect.get();
            } catch (LockUnavailableException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
