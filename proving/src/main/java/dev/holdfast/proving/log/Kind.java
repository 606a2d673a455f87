package dev.holdfast.proving.log;

/** What a line of a log says. */
public enum Kind {
    // ---- by a client, about one of its sections

    /** It is about to ask for the lock. {@code wait}: for how many milliseconds at most. */
    ATTEMPT,
    /** The library said yes. {@code token} and {@code until} where the library gives them. */
    GRANT,
    /** The library said that somebody else has the lock. */
    BUSY,
    /** The library said that it cannot tell. {@code why}. */
    UNAVAILABLE,
    /** Asked whether the lock is still held, at {@code asked}, the library said yes; {@code until} when, where it knows. */
    BELIEVES,
    /** The library said that the lock is not held any more. {@code how}: callback, question, release. */
    TOLD,
    /** It has read the resource and seen {@code version}. */
    READ,
    /** The resource has acknowledged its write of {@code version}, {@code based} on what it had read. */
    WROTE,
    /** The guard of the resource has refused its token. */
    REFUSED,
    /** It is about to give the lock back. */
    RELEASING,
    /** The library said that the lock was given back. */
    RELEASED,
    /** The library said that it does not know whether the lock was given back. {@code why}. */
    RELEASE_FAILED,

    // ---- by anybody, about itself

    /** It stood still since {@code from}. */
    STALL,

    // ---- by the runner

    /** The fault {@code name} is about to be made. */
    BREAKING,
    /** The fault {@code name} is in force. {@code unreachable}: the clients that cannot reach the store, or {@code all}. */
    FAULT,
    /** The fault {@code name} is about to be mended. */
    HEALED,
    /** The fault {@code name} is over. Not noted where something stays: a clock that is ahead. */
    MENDED,
    /** The client is about to be killed. */
    KILLED,
    /** The client stands still. */
    FROZEN,
    /** The client is about to go on. */
    THAWED,
    /** The resource has carried out a write of {@code version}, {@code based} on another one. */
    APPLIED,
    /** The end of work: clients are about to be told to stop. */
    END,
    /** After the end somebody asked for the lock, for {@code millis}; {@code got} is yes or no. */
    PROBED
}
