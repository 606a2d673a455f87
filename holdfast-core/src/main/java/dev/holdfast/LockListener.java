package dev.holdfast;

import java.time.Duration;

/**
 * Hears what happens to all locks of one {@link Holdfast}. Called on the executor for user code, one event at a time, in
 * order. A listener that throws or blocks harms nobody: if it falls far behind, events are dropped and the log says so.
 */
public interface LockListener {
    /** A lease was handed out after that long a wait. */
    default void acquired(String name, FencingToken token, Duration waited) {}

    /** A lease was closed by its holder. */
    default void released(String name, FencingToken token, Duration held) {}

    /** A lease ended without its holder: expired or lost. */
    default void lost(Loss loss) {}

    /** A renewal brought no answer. The lease is still valid, and the renewal is being repeated. */
    default void renewalFailed(String name, FencingToken token, Throwable cause) {}

    /** Something is wrong with the backend or the way to it, as seen from {@code where}. */
    default void disturbed(String where, String what) {}
}
