package dev.holdfast.cli;

import dev.holdfast.spi.LockBackend;

/** A place where locks are kept, known by its URL. */
interface Store {
    /** The URL as it may be shown: without a password. */
    String label();

    /** Does no I/O yet where the backend can avoid it. */
    LockBackend backend();

    /** What went wrong, with what to do about it from a shell. */
    default String explain(String why) {
        return why;
    }

    /** Makes the store ready for its first lock, and says what was done. Refuses where something is already there. */
    String initialise();
}
