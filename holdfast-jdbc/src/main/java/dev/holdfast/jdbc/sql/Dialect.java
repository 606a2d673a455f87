package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * What one database says differently. To add a database: implement this, write its tables as a file in {@code
 * META-INF/holdfast}, and run the conformance kit.
 */
public interface Dialect {
    /** What an exception proves. */
    enum Verdict {
        /** Rolled back, and worth another try at once. */
        AGAIN,
        /** Answered, and trying again will not help. */
        REFUSED,
        /** Answered that a table is missing. */
        NO_TABLES,
        /** Answered that a column is missing, or of another type: these tables are somebody else's. */
        FOREIGN_TABLES,
        /** Answered that it cannot do it at present; nothing happened, and trying again may help. */
        NOT_NOW,
        /** Nothing is proven. */
        UNKNOWN
    }

    /** The file in {@code META-INF/holdfast} that creates the tables, without its ending. */
    String ddlName();

    /** How often the first in the queue asks. */
    default PollIntervals poll() {
        return new PollIntervals(Duration.ofMillis(10), Duration.ofSeconds(1));
    }

    /** How often the first in the queue asks if others can also tell it that it is its turn. */
    default PollIntervals pollIfTold() {
        return poll();
    }

    /** Whether the database itself delivers the hints to waiters, and a broken delivery is noticed. */
    default boolean losesNoHints() {
        return false;
    }

    /** Whether all processes that use the database are on one machine, so that they can tell each other. */
    default boolean isOnOneMachine() {
        return false;
    }

    /** Whether a connection can hang for want of a network, so that it needs a timeout of its own. */
    boolean networked();

    /** Whether the isolation level belongs to the connection and not to a transaction, so that it has to be put back. */
    default boolean isolationOfConnection() {
        return false;
    }

    /** What mutual exclusion survives here, in one sentence. */
    String exclusion();

    default String tokenSource() {
        return "a counter per bucket in the database, at least its clock in microseconds";
    }

    /** How a waiter learns that it is its turn. */
    default Waking waking() {
        return Waking.POLL;
    }

    /** The queue is a table, and a lock ends at a time of the database: so every database is fair, and keeps what was closed. */
    default Guarantees guarantees() {
        return Guarantees.builder()
                .exclusion(exclusion())
                .tokenSource(tokenSource())
                .waking(waking())
                .fair(true)
                .heldAtLeast(true)
                .offers(LockKind.SEMAPHORE)
                .offers(LockKind.READ_WRITE_LOCK)
                .build();
    }

    /**
     * The steps that change something.
     *
     * @param teller tells a waiter that the lock was handed to it, where the database does not
     */
    default Steps steps(Tables tables, Duration commandTimeout, Steps.Notifier teller) {
        BucketTransactions transactions = new BucketTransactions(this, tables, commandTimeout);
        ShareTransactions shares = new ScriptedShares(this, tables, transactions, teller);
        return new StepsByKind(
                new ScriptedSteps(this, tables, commandTimeout, teller),
                new SharedSteps(this, tables, transactions, shares));
    }

    /** An expression: microseconds since 1970 at the moment the statement runs, or begins. */
    String nowMicros();

    /** An expression: a number that no two sessions have at the same time; empty where a connection is no session of a server. */
    String sessionId();

    /** What follows a SELECT that takes the bucket's mutex. */
    default String forUpdate() {
        return " FOR UPDATE";
    }

    /** What precedes a statement that must not wait for a row for longer; empty where the database needs no telling. */
    default String lockWait(Duration most) {
        return "";
    }

    /** Begins a transaction in which every statement sees what was committed before it. Autocommit is on before. */
    void begin(Connection connection) throws SQLException;

    default void commit(Connection connection) throws SQLException {
        Sql.execute(connection, "COMMIT");
    }

    default void rollback(Connection connection) throws SQLException {
        Sql.execute(connection, "ROLLBACK");
    }

    Verdict judge(SQLException failure);

    /** What to do about a refusal; follows the database's own words. */
    default String remedy(SQLException failure) {
        return "";
    }

    /** What endangers the locks here. */
    List<Finding> diagnose(Connection connection) throws SQLException;
}
