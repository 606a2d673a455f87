package dev.holdfast.simulation;

/** What can go wrong in a world. */
enum Fault {
    /** A process stands still between two events, for any time. */
    PAUSE,
    /** A process stands still in the middle of one: after reading the clock, before it acts. */
    STALL,
    /** A process is gone; the kernel says goodbye for it. */
    CRASH,
    /** A process is gone and nobody tells the server. */
    POWER_LOSS,
    /** A Holdfast is closed while it holds and waits. */
    CLOSE,
    /** Requests take long. */
    SLOW_REQUESTS,
    /** Answers and pushes take long. */
    SLOW_ANSWERS,
    /** Nothing arrives; some of it later, some of it never. */
    CUT,
    /** Connections break, and both sides hear of it. */
    RESET,
    /** Requests are carried out twice. */
    DUPLICATE,
    SERVER_PAUSE,
    /** Comes back with everything that it had acknowledged. */
    SERVER_CRASH,
    /** Comes back with nothing. */
    SERVER_AMNESIA,
    /** Comes back without what it wrote in the last second. */
    SERVER_LOSES_SECOND,
    /** A replica takes over that has not seen the last writes. */
    FAILOVER,
    /** A server's clock is set. */
    CLOCK_JUMP,

    // ---- drawn apart: they leave waiters alone

    /** So many servers stand still that the others are no majority. */
    MAJORITY_PAUSE,
    /** A server forgets everything and goes on: FLUSHALL. */
    FLUSH,
    /** What is pushed does not arrive any more, and nobody notices. */
    SILENT_INBOX;

    boolean isAtServer() {
        return switch (this) {
            case SERVER_PAUSE,
                    MAJORITY_PAUSE,
                    FLUSH,
                    SERVER_CRASH,
                    SERVER_AMNESIA,
                    SERVER_LOSES_SECOND,
                    FAILOVER,
                    CLOCK_JUMP -> true;
            default -> false;
        };
    }

    boolean isCrashOfServer() {
        return this == SERVER_CRASH || losesWrites();
    }

    boolean losesWrites() {
        return this == SERVER_AMNESIA || this == SERVER_LOSES_SECOND || this == FAILOVER || this == FLUSH;
    }
}
