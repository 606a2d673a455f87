package dev.holdfast.proving.subject;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** What the library gave to whoever holds the lock. */
public interface HeldLock {
    /** Empty where the library has none. */
    default OptionalLong token() {
        return OptionalLong.empty();
    }

    /**
     * Whether the lock is still held, as far as the library can be asked.
     *
     * @throws Exception if the library cannot tell
     */
    default Belief belief() throws Exception {
        return Belief.HELD;
    }

    /** Called with a reason when the library says by itself that the lock is gone; never where it has no such notice. */
    default void onLost(Consumer<String> callback) {}

    /**
     * Gives the lock back.
     *
     * @return false if the library says that it was not held any more
     * @throws Exception if the library cannot tell
     */
    boolean release() throws Exception;
}
