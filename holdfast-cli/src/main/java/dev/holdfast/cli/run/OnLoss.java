package dev.holdfast.cli.run;

/** What becomes of the child when the lease is about to end. */
public enum OnLoss {
    /** SIGTERM while there is time left to finish, SIGKILL when there is none. */
    term,
    /** SIGKILL when there is no time left. */
    kill,
    /** It runs on, without the lock. */
    warn
}
