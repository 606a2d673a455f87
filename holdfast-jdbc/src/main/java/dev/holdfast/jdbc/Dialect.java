package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * What one database says differently. To add a database: implement this, write its tables as a file in {@code
 * META-INF/holdfast}, and run the conformance kit.
 */
interface Dialect {
    /** What an exception proves. */
    enum Verdict {
        /** Rolled back, and worth another try at once. */
        AGAIN,
        /** Answered, and trying again will not help. */
        REFUSED,
        /** Answered that a table is missing. */
        NO_TABLES,
        /** Nothing is proven. */
        UNKNOWN
    }

    /** The file in {@code META-INF/holdfast} that creates the tables, without its ending. */
    String ddlName();

    /** Whether there is a queue: then waiters are served in order. */
    boolean fair();

    /** Whether a connection can hang for want of a network, so that it needs a timeout of its own. */
    boolean networked();

    /** Whether the isolation level belongs to the connection and not to a transaction, so that it has to be put back. */
    default boolean isolationOfConnection() {
        return false;
    }

    Guarantees guarantees(Duration settling);

    /** The steps that change something. */
    default Steps steps(Tables tables) {
        return new ScriptedSteps(this, tables);
    }

    /** An expression: microseconds since 1970 at the moment the statement runs, or begins. */
    String nowMicros();

    /** What follows a SELECT that takes the bucket's mutex. */
    default String forUpdate() {
        return " FOR UPDATE";
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

    /** What endangers the locks here. */
    List<Finding> diagnose(Connection connection) throws SQLException;
}
