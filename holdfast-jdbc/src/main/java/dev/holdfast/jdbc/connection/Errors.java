package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.Collision;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Secrets;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Turns what a driver throws into core's exceptions: whether the step was done, and whether trying again helps. */
public final class Errors {
    /** The code of a refusal because there are no tables: whoever shows it may know another way to create them. */
    private static final String TABLES_MISSING = "jdbc.tables-missing";

    private final Dialect dialect;
    private final Tables tables;

    public Errors(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    public boolean isWorthAnotherTry(SQLException failure) {
        return judge(failure) == Verdict.AGAIN;
    }

    /** No statement was sent yet. */
    public RuntimeException whileConnecting(Throwable failure) {
        if (failure instanceof StoreGoneException || failure instanceof RefusedException) {
            return (RuntimeException) failure;
        }
        SQLException sql = sqlException(failure);
        if (sql != null && isRefusal(judge(sql))) {
            return new RefusedException("the database does not let us in: " + refusal(sql), failure);
        }
        return new NotSentException("no connection to the database: " + text(failure), failure);
    }

    /** The database rolled the step back at every attempt. */
    public RuntimeException rolledBack(SQLException failure, int tries) {
        return new NotSentException(
                "others use the database so much that it rolled this back " + tries + " times: " + text(failure),
                failure);
    }

    public Throwable whileExecuting(SQLException failure) {
        return switch (judge(failure)) {
            case NO_TABLES -> new RefusedException(TABLES_MISSING, refusal(failure), failure);
            case FOREIGN_TABLES, REFUSED -> new RefusedException(refusal(failure), failure);
            case NOT_NOW -> new NotSentException("the database does not do it now: " + text(failure), failure);
            default -> unknown(failure);
        };
    }

    /** No proof: the database may have carried the statement out, or may still do so. */
    private static IOException unknown(SQLException failure) {
        SQLException shown = masked(failure);
        return new IOException("the database did not say whether it has done it: " + text(shown), shown);
    }

    private static boolean isRefusal(Verdict verdict) {
        return verdict == Verdict.REFUSED || verdict == Verdict.NO_TABLES || verdict == Verdict.FOREIGN_TABLES;
    }

    /** What was refused, and what to do about it. */
    public String refusal(SQLException failure) {
        return switch (judge(failure)) {
            case NO_TABLES ->
                "the tables of Holdfast are missing (" + text(failure)
                        + "). Call JdbcBackend.createTables(dataSource), or run this:\n"
                        + tables.ddl(dialect.ddlName());
            case FOREIGN_TABLES ->
                "a table named " + tables.prefix() + "… is not one of Holdfast's, or was made by another version ("
                        + text(failure) + "). Give Holdfast a prefix of its own with tablePrefix, or another database."
                        + " JdbcBackend.ddl shows the tables that it needs.";
            default -> "the database refuses: " + text(failure) + dialect.remedy(failure);
        };
    }

    /** The message, or the class of an exception that has none. */
    public static String text(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getName() : message;
    }

    /** The exception itself if it shows no password; otherwise one that says the same without it. */
    public static SQLException masked(SQLException failure) {
        Throwable shown = Secrets.mask(failure);
        return shown == failure
                ? failure
                : new SQLException(shown.getMessage(), failure.getSQLState(), failure.getErrorCode(), shown);
    }

    private Verdict judge(SQLException failure) {
        return failure instanceof Collision ? Verdict.AGAIN : dialect.judge(failure);
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
