package dev.holdfast.testing;

import dev.holdfast.LockKey;

/** Makes an in-memory backend misbehave, for tests of code that uses locks. Safe for use by many threads. */
public interface LockControls {
    /** Ends the tenure of this lock: see {@link #expireNow(LockKey)}. */
    default void expireNow(String name) {
        expireNow(LockKey.lock(name));
    }

    /**
     * Ends every tenure of this at the store, as if its lease had run out: the next waiter gets the lock, and the
     * holder does not know yet, like a holder that was paused. Does nothing if nobody holds it.
     */
    void expireNow(LockKey lock);

    /** Makes the store forget this lock: see {@link #lose(LockKey)}. */
    default void lose(String name) {
        lose(LockKey.lock(name));
    }

    /**
     * Makes the store forget this and tells its holders, like a store that lost its memory. Does nothing if nobody
     * holds it.
     */
    void lose(LockKey lock);

    /** Holds back every answer and every grant until {@link #resume}, like a network that stalls. */
    void pause();

    /** Delivers what was held back, in order. */
    void resume();

    /** Makes every call fail without reaching the store until {@link #reconnect}, like a server that is down. */
    void disconnect();

    /** Ends {@link #disconnect}. */
    void reconnect();
}
