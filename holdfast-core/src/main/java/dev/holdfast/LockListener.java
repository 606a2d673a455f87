package dev.holdfast;

import java.time.Duration;
import java.util.List;

/**
 * Hears what happens to all locks of one {@link Holdfast}. Called on the executor for user code, one event at a time, in
 * order. A listener that throws or blocks harms nobody: if it falls far behind, events are dropped, the log says so, and
 * the listener is told how many once it has caught up.
 */
public interface LockListener {
    /** One listener that tells all of these, in order. One that throws does not keep the others from hearing. */
    static LockListener all(LockListener... listeners) {
        return new AllListeners(List.of(listeners));
    }

    /**
     * Somebody found the lock taken and began to wait for it. Followed, for the same caller, by {@link #acquired}, {@link
     * #gaveUp} or {@link #unavailable}.
     */
    default void waiting(LockKey lock) {}

    /** Somebody stopped waiting: the limit was reached, the wait was cancelled or interrupted, or the Holdfast was closed. */
    default void gaveUp(LockKey lock, Duration waited) {}

    /** Somebody who asked only once found the lock taken. */
    default void refused(LockKey lock) {}

    /** Somebody could not get an answer from the backend, or was turned away by it for a reason that is not "busy". */
    default void unavailable(LockKey lock, Duration waited, Throwable cause) {}

    /** A lease was handed out after that long a wait. */
    default void acquired(LockKey lock, FencingToken token, Duration waited) {}

    /** A lease was closed by its holder. */
    default void released(LockKey lock, FencingToken token, Duration held) {}

    /** A lease ended without its holder: expired or lost. */
    default void lost(Loss loss) {}

    /** This lease was renewed: its lease begins anew. */
    default void renewed(LockKey lock, FencingToken token) {}

    /** A renewal of this lease brought no answer. The lease is still valid, and the renewal is being repeated. */
    default void renewalFailed(LockKey lock, FencingToken token, Throwable cause) {}

    /** An operator ended somebody's tenure through this Holdfast: what was ended, and who did it. */
    default void broken(LockState ended, Holder by) {}

    /**
     * The backend says something without being asked: bad news, or that something works again. Of each source and severity
     * at most ten in ten seconds reach the listener; the next one says how many were left out.
     */
    default void notice(BackendNotice notice) {}
}
