package dev.holdfast;

/**
 * Something with a time at which it wants to be looked at. Intrusive: a tenure is its own timer entry, so that a held
 * lock costs no further object.
 */
abstract class Alarm {
    static final long NEVER = Long.MAX_VALUE;

    /** Set where the state is decided; read by {@link Timers} under its own lock. */
    volatile long fireAtNanos = NEVER;

    /** Whether Timers has this queued; written under the lock of Timers, read without it. */
    volatile boolean armed;

    /** Where Timers keeps this while armed; guarded by the lock of Timers. */
    int place;

    /** The time this is queued for; guarded by the lock of Timers. */
    long dueNanos;

    /** Called on a scheduler thread with no lock held. May come late, or once more after the time was taken back. */
    abstract void fire();
}
