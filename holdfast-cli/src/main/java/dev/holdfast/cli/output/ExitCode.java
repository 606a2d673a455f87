package dev.holdfast.cli.output;

/** The exit codes of the command; the numbers are those of sysexits.h and of the shell. */
public final class ExitCode {
    public static final int OK = 0;
    /** The operator said no, or the store is in danger. */
    public static final int NO = 1;
    /** The command line is wrong. */
    public static final int USAGE = 64;
    /** The store cannot be used. */
    public static final int UNAVAILABLE = 69;
    /** Holdfast itself failed. */
    public static final int INTERNAL_ERROR = 70;
    /** What was asked for could not be written to stdout. */
    static final int NOT_WRITTEN = 74;
    /** Somebody else holds the lock. */
    public static final int BUSY = 75;
    /** The lease ended, or was about to end, while the child was running. */
    public static final int LOST = 76;

    static final int NOT_EXECUTABLE = 126;
    public static final int NOT_FOUND = 127;

    static final int SIGPIPE = 13;

    private ExitCode() {}

    public static int ofSignal(int number) {
        return 128 + number;
    }
}
