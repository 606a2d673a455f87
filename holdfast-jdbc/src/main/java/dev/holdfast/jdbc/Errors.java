package dev.holdfast.jdbc;

import dev.holdfast.jdbc.Dialect.Verdict;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What a failure proves. */
final class Errors {
    private final Dialect dialect;
    private final Tables tables;

    Errors(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    boolean isWorthAnotherTry(SQLException failure) {
        return judge(failure) == Verdict.AGAIN;
    }

    /** No statement was sent yet. */
    RuntimeException whileConnecting(Exception failure) {
        SQLException sql = sqlException(failure);
        if (sql != null && judge(sql) == Verdict.REFUSED) {
            return new RefusedException("the database does not let us in: " + sql.getMessage(), failure);
        }
        return new NotSentException("no connection to the database: " + failure.getMessage(), failure);
    }

    /** The database took back what it had begun, every time. */
    RuntimeException rolledBack(SQLException failure, int tries) {
        return new NotSentException(
                "the database rolled it back " + tries + " times: " + failure.getMessage(), failure);
    }

    Throwable whileExecuting(SQLException failure) {
        return switch (judge(failure)) {
            case NO_TABLES -> new RefusedException(noTables(failure), failure);
            case REFUSED -> new RefusedException("the database refuses: " + failure.getMessage(), failure);
            default -> failure;
        };
    }

    private String noTables(SQLException failure) {
        return "the tables of Holdfast are missing (" + failure.getMessage()
                + "). Call JdbcBackend.createTables(dataSource), or run this:\n" + tables.ddl(dialect.ddlName());
    }

    private Verdict judge(SQLException failure) {
        return failure instanceof ScriptedSteps.Collision ? Verdict.AGAIN : dialect.judge(failure);
    }

    /** Pools wrap what the driver said. */
    private static @Nullable SQLException sqlException(Throwable failure) {
        SQLException innermost = null;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                innermost = sql;
            }
        }
        return innermost;
    }
}
