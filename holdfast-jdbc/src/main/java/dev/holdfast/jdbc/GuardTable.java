package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The record of moves, which rows of {@link SqlFence} and columns of {@link FencedTable} share, and what both need. */
final class GuardTable {
    private static final Tables TABLES = new Tables(Tables.DEFAULT_PREFIX);

    private GuardTable() {}

    static List<String> ddlStatements(Database database) {
        return TABLES.ddlStatements(ddlName(database));
    }

    static String ddl(Database database) {
        return TABLES.ddl(ddlName(database));
    }

    private static String ddlName(Database database) {
        return database.dialect().ddlName() + "-guard";
    }

    /**
     * Moves a guard, if it is as it was shown, and records it in the same transaction.
     *
     * @param table with the columns named here; identifiers only
     * @param inTable whose column it is; empty for a row of {@link SqlFence}
     * @param record the guarded resource as the record names it
     * @return whether it was moved
     */
    static boolean move(Connection connection, Columns table, Object id, String inTable, byte[] record, GuardMove move)
            throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "A guard is moved and the move recorded in one transaction, and this connection"
                            + " commits each statement by itself: call setAutoCommit(false) first.");
        }
        // The database waits here for the transaction of a holder that has checked and not committed.
        String forgetReader = table.reader() == null ? "" : ", " + table.reader() + " = 0";
        String sql = "UPDATE " + table.table() + " SET " + table.token() + " = 0" + forgetReader + ", "
                + table.generation() + " = ? WHERE " + table.id() + " = ? AND " + table.generation() + " = ? AND "
                + table.newest() + " = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, move.toGeneration());
            if (id instanceof byte[] bytes) {
                statement.setBytes(2, bytes);
            } else {
                statement.setObject(2, id);
            }
            statement.setInt(3, move.fromGeneration());
            statement.setLong(4, value(move));
            if (statement.executeUpdate() == 0) {
                return false;
            }
        }
        Sql.update(
                connection,
                "INSERT INTO holdfast_guard_move (in_table, resource, to_generation, from_generation, newest, moved_at,"
                        + " moved_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
                inTable,
                record,
                move.toGeneration(),
                move.fromGeneration(),
                value(move),
                move.at().toEpochMilli(),
                move.by());
        return true;
    }

    /**
     * Which columns of which table.
     *
     * @param token the newest writer's
     * @param reader the newest reader's; null if readers are not told apart
     */
    record Columns(
            String table, String id, String token, @Nullable String reader, String generation) {
        /** An expression: the newest token of any kind. */
        String newest() {
            return reader == null
                    ? token
                    : "CASE WHEN " + reader + " > " + token + " THEN " + reader + " ELSE " + token + " END";
        }
    }

    private static long value(GuardMove move) {
        return move.newest().map(FencingToken::value).orElse(0L);
    }

    /** The state with its moves, the oldest first. */
    static GuardState state(Connection connection, int generation, long newest, String inTable, byte[] record)
            throws SQLException {
        List<GuardMove> moves = Sql.query(
                connection,
                "SELECT from_generation, newest, to_generation, moved_by, moved_at FROM holdfast_guard_move"
                        + " WHERE in_table = ? AND resource = ? ORDER BY to_generation",
                row -> GuardMove.recorded(
                        row.getInt(1),
                        row.getLong(2),
                        row.getInt(3),
                        row.getString(4),
                        Instant.ofEpochMilli(row.getLong(5))),
                inTable,
                record);
        return GuardState.of(generation, newest, moves);
    }

    static SQLException withRemedy(Connection connection, SQLException failure) throws SQLException {
        Database database = Database.of(connection);
        Verdict verdict = database.dialect().judge(failure);
        if (verdict == Verdict.FOREIGN_TABLES
                && String.valueOf(failure.getMessage()).matches("(?is).*\\breader\\b.*")) {
            return Errors.masked(new SQLException(
                    "The table holdfast_guard has no column for readers (" + Errors.text(failure)
                            + "). Run: ALTER TABLE holdfast_guard ADD COLUMN reader BIGINT DEFAULT 0 NOT NULL",
                    failure.getSQLState(),
                    failure.getErrorCode(),
                    failure));
        }
        if (verdict != Verdict.NO_TABLES) {
            return Errors.masked(failure);
        }
        return Errors.masked(new SQLException(
                "The tables of SqlFence are missing (" + Errors.text(failure)
                        + "). Call SqlFence.createTable(dataSource), or run this:\n" + ddl(database),
                failure.getSQLState(),
                failure.getErrorCode(),
                failure));
    }
}
