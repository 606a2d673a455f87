package dev.holdfast.jdbc.wakeup;

/**
 * Where a process is told that the lock it waits for was handed to it. What it is told is a hint: it asks the database, and
 * only the database's answer counts. Without an inbox, and when a hint is lost, waiters poll.
 */
public interface Inbox {
    /** What to write into the queue, so that others can tell this process; empty as long as they cannot. */
    String address();

    /** Somebody waits for that name. A claim that was queued without an address asks again as soon as there is one. */
    void waiting(String name, boolean addressed);

    /** The pool has no connection left for the statements: they need it more. */
    default void makeRoom() {}

    void close();
}
