package dev.holdfast.cli;

/** What the command answers to its caller; the numbers are those of sysexits.h and of the shell. */
final class ExitCode {
    static final int OK = 0;
    /** The operator said no, or the store is in danger. */
    static final int NO = 1;
    /** The command line makes no sense. */
    static final int USAGE = 64;
    /** The store cannot be used. */
    static final int UNAVAILABLE = 69;
    /** A mistake of ours. */
    static final int BUG = 70;
    /** Somebody else holds the lock. */
    static final int BUSY = 75;
    /** The lease ended, or was about to end, while the child was running. */
    static final int LOST = 76;

    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    private ExitCode() {}

    static int ofSignal(int number) {
        return 128 + number;
    }
}
