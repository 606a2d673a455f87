package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.connection.StatementExecutor.Fallback;
import dev.holdfast.jdbc.connection.StatementExecutor.Step;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.spi.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Runs one step once, on a connection that was lent for it, and says what came of it. Safe for use by many threads. */
final class StepRunner {
    /**
     * What came of a step.
     *
     * @param again whether the database rolled it back, so that it may be tried again
     */
    record Outcome<T>(@Nullable T answer, @Nullable Throwable failure, boolean again) {}

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Errors errors;
    private final Environment environment;
    private final Duration commandTimeout;
    private final @Nullable ConnectionMarks marks;
    // When the database last did what it was asked. Which of two that run at once is the last does not matter.
    private volatile long servedNanos;

    StepRunner(
            ConnectionSource source,
            Dialect dialect,
            Errors errors,
            Environment environment,
            Duration commandTimeout,
            @Nullable ConnectionMarks marks) {
        this.source = source;
        this.dialect = dialect;
        this.errors = errors;
        this.environment = environment;
        this.commandTimeout = commandTimeout;
        this.marks = marks;
        this.servedNanos = environment.nanoTime();
    }

    long servedNanos() {
        return servedNanos;
    }

    private void noteServed() {
        servedNanos = environment.nanoTime();
    }

    /** There was no connection. A new one has statements of its own, which can collide with others like any. */
    <T> Outcome<T> notConnected(Throwable e) {
        if (e instanceof SQLException sql && errors.isWorthAnotherTry(sql)) {
            noteServed();
            return new Outcome<>(null, e, true);
        }
        return new Outcome<>(null, errors.whileConnecting(e), false);
    }

    /**
     * Leaves the connection as it was found.
     *
     * @param fallback done if the step collides with others and may not be tried again; null if there is none
     */
    <T> Outcome<T> run(
            Connection connection, Step<T> step, @Nullable Fallback<T> fallback, BooleanSupplier mayTryAgain) {
        BorrowedConnection borrowed;
        try {
            borrowed = BorrowedConnection.prepare(connection, dialect, commandTimeout);
            if (marks != null) {
                marks.note(connection, environment.nanoTime());
            }
        } catch (Throwable e) {
            return notConnected(e);
        }
        try {
            T answer = step.on(connection);
            source.confirm(connection);
            noteServed();
            return new Outcome<>(answer, null, false);
        } catch (SQLException e) {
            return afterFailure(connection, e, fallback, mayTryAgain);
        } catch (Throwable e) {
            return new Outcome<>(null, e, false);
        } finally {
            restore(borrowed);
        }
    }

    /** A collision is an answer too: the database is there, and others use it. */
    private <T> Outcome<T> afterFailure(
            Connection connection, SQLException failure, @Nullable Fallback<T> fallback, BooleanSupplier mayTryAgain) {
        if (!errors.isWorthAnotherTry(failure)) {
            return new Outcome<>(null, failure, false);
        }
        noteServed();
        if (fallback == null || mayTryAgain.getAsBoolean()) {
            return new Outcome<>(null, failure, true);
        }
        try {
            T answer = fallback.on(connection);
            source.confirm(connection);
            return new Outcome<>(answer, answer == null ? failure : null, answer == null);
        } catch (Throwable e) {
            return new Outcome<>(null, failure, true);
        }
    }

    private static void restore(BorrowedConnection borrowed) {
        try {
            borrowed.restore();
        } catch (Throwable e) {
            // The connection is broken; its pool will see that too.
        }
    }
}
