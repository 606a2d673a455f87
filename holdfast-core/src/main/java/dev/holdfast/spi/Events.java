package dev.holdfast.spi;

import dev.holdfast.BackendNotice;

/**
 * What a backend tells core without being asked. Implemented by core; safe to call from any thread, in any order, any
 * number of times, also for owners that were given up long ago. Call it with no lock held: core acts inline and may call
 * back into the backend. Keys are those of {@link dev.holdfast.LockKey}.
 */
public interface Events {
    /**
     * A queued claim was granted. The same grant may also arrive as the answer to {@link LockBackend#tryAcquire}, before
     * or after; repeating it with a later validity lengthens the tenure.
     */
    void granted(String key, Owner owner, Grant grant);

    /** The lock may have become free: a hint, core asks again if it has a claim. */
    void maybeFree(String key);

    /** Proof that this tenure is over. */
    void lost(String key, Owner owner, String why);

    /** Contact was broken for a while: ask again for every claim and renew every tenure, now. */
    void recheckAll(String why);

    /**
     * Something that no single call can report, good or bad. It reaches the listener and the log, a few of each source and
     * severity in ten seconds.
     */
    void notice(BackendNotice notice);
}
