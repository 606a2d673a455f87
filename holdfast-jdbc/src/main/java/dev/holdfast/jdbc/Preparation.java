package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.BorrowedConnection;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.file.SqliteConnections;
import dev.holdfast.jdbc.sql.Collision;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.TableVersion;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What is done before there is a backend: finding out which database it is, and creating tables. */
final class Preparation {
    /** Many processes may begin at once, and all create the tables. */
    private static final int TRIES = 10;
    /** A table, or its type, came into being between the look whether it exists and its creation. */
    private static final Set<String> THERE_BY_NOW = Set.of("42710", "42P07", "42S01");

    private Preparation() {}

    /**
     * What was found out.
     *
     * @param version of the tables; not confirmed if they were missing, or others used them too much
     */
    record Result(Dialect dialect, TableVersion version) {
        static Result of(Database database, Tables tables) {
            return new Result(database.dialect(), new TableVersion(database.dialect(), tables));
        }
    }

    /**
     * Tables of another version are refused.
     *
     * @param create whether to create the tables if they are missing
     */
    static Result of(
            ConnectionSource source, @Nullable Database known, Tables tables, boolean create, Duration commandTimeout) {
        AtomicReference<@Nullable Database> database = new AtomicReference<>(known);
        for (int tries = 1; ; tries++) {
            try {
                return once(source, database, tables, create, commandTimeout);
            } catch (SQLException e) {
                Database learned = database.get();
                boolean collided = learned != null && isCollision(learned, e);
                if (collided && source instanceof SqliteConnections && learned != null) {
                    // The file is there, and others use it: the first step has the time to wait for them.
                    return Result.of(learned, tables);
                }
                if (tries == TRIES || !collided) {
                    throw explained(learned, tables, e);
                }
            }
        }
    }

    private static boolean isCollision(Database database, SQLException e) {
        return new Errors(database.dialect(), new Tables(Tables.DEFAULT_PREFIX)).isWorthAnotherTry(e);
    }

    private static RuntimeException explained(@Nullable Database known, Tables tables, SQLException e) {
        if (known == null) {
            return new NotSentException("No connection to the database for locks: " + Errors.text(e), e);
        }
        return new Errors(known.dialect(), tables).whileConnecting(e);
    }

    private static Result once(
            ConnectionSource source,
            AtomicReference<@Nullable Database> known,
            Tables tables,
            boolean create,
            Duration commandTimeout)
            throws SQLException {
        Connection connection = source.takeOrCreate();
        try {
            Database database = known.get();
            if (database == null) {
                database = Database.of(connection);
                known.set(database);
            }
            Result result = Result.of(database, tables);
            BorrowedConnection session = BorrowedConnection.prepare(connection, result.dialect(), commandTimeout);
            try {
                // Before anything is created: tables of another version must not be given our number.
                result.version().require(connection);
                if (create) {
                    createTables(connection, result.dialect(), tables);
                    result.version().require(connection);
                }
            } finally {
                session.restore();
            }
            return result;
        } finally {
            source.giveBack(connection);
        }
    }

    private static void createTables(Connection connection, Dialect dialect, Tables tables) throws SQLException {
        try {
            for (String statement : tables.ddlStatements(dialect.ddlName())) {
                Sql.execute(connection, statement);
            }
        } catch (SQLException e) {
            if (new Errors(dialect, tables).isWorthAnotherTry(e)) {
                throw e;
            }
            if (Sql.isDuplicate(e) || THERE_BY_NOW.contains(String.valueOf(e.getSQLState()))) {
                throw new Collision("somebody else creates these tables at the same moment");
            }
            throw new RefusedException(
                    "The tables for locks cannot be created: " + new Errors(dialect, tables).refusal(e), e);
        }
    }
}
