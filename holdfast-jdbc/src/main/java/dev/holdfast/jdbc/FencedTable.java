package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The token in a column of your own table: each row is fenced by itself, and the check is part of the statement that
 * writes. The column is {@code BIGINT NOT NULL DEFAULT 0}.
 *
 * <pre>{@code
 * FencedTable accounts = FencedTable.of("account", "id", "fence");
 * accounts.announce(connection, 7, lease.token());                     // before the first read
 * accounts.update(connection, 7, lease.token(), "balance = ?", 100);   // … SET balance = ?, fence = ? WHERE id = ? AND fence <= ?
 * }</pre>
 *
 * <p>One statement each, so it works with and without a transaction. Immutable, and safe for use by many threads; the
 * connection is yours.
 */
public final class FencedTable {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    private final String table;
    private final String idColumn;
    private final String fenceColumn;

    /** Null: the rows have none, and readers cannot announce themselves. */
    private final @Nullable String readerColumn;

    /** Null: the rows have none, and the fence cannot be moved. */
    private final @Nullable String generationColumn;

    private final int generation;

    private FencedTable(
            String table,
            String idColumn,
            String fenceColumn,
            @Nullable String readerColumn,
            @Nullable String generationColumn,
            int generation) {
        this.table = requireIdentifier(table);
        this.idColumn = requireIdentifier(idColumn);
        this.fenceColumn = requireIdentifier(fenceColumn);
        this.readerColumn = readerColumn == null ? null : requireIdentifier(readerColumn);
        this.generationColumn = generationColumn == null ? null : requireIdentifier(generationColumn);
        this.generation = GuardState.requireGeneration(generation);
    }

    /**
     * A table of yours. Does no I/O.
     *
     * @throws IllegalArgumentException if one of these is not a plain identifier: they become part of statements
     */
    public static FencedTable of(String table, String idColumn, String fenceColumn) {
        return new FencedTable(table, idColumn, fenceColumn, null, null, 0);
    }

    /**
     * The same table with one more column of yours, {@code INTEGER NOT NULL DEFAULT 0}: it says which lock store a row's
     * token comes from. Only with it can the fence of a row be moved to another store's tokens. Does no I/O.
     *
     * @param current the generation of the tokens that will be presented: 0 until you move the rows
     */
    public FencedTable withGeneration(String column, int current) {
        return new FencedTable(table, idColumn, fenceColumn, readerColumn, column, current);
    }

    /**
     * The same table with one more column of yours, {@code BIGINT NOT NULL DEFAULT 0}: the newest token of a reader. With it
     * those who only read can announce themselves. Every process that writes must name it: one that does not name it is not
     * refused by readers. Does no I/O.
     */
    public FencedTable withReaders(String column) {
        return new FencedTable(table, idColumn, fenceColumn, column, generationColumn, generation);
    }

    /**
     * Makes this token of somebody who only reads ({@code readWriteLock(..).read()}) known to that row: refused by a newer
     * writer's token only. Readers never refuse each other; writers with older tokens are refused once you commit.
     *
     * @throws StaleTokenException if the row has seen a newer token of a writer; nothing was changed
     * @throws WrongGenerationException if the row accepts the tokens of another lock store; nothing was changed
     * @throws NoSuchElementException if there is no such row
     * @throws IllegalStateException if this table has no column for readers
     */
    public void announceRead(Connection connection, Object id, FencingToken token) throws SQLException {
        Objects.requireNonNull(id, "id");
        if (readerColumn == null) {
            throw new IllegalStateException(
                    "The fence of " + table + " has no column for readers: their tokens would refuse"
                            + " each other. Add one and name it with withReaders(column) in every process that writes.");
        }
        String sql = "UPDATE " + table + " SET " + readerColumn + " = CASE WHEN " + readerColumn + " < ? THEN ? ELSE "
                + readerColumn + " END WHERE " + idColumn + " = ? AND " + fenceColumn + " <= ?"
                + (generationColumn == null ? "" : " AND " + generationColumn + " = ?");
        int rows;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, token.value());
            statement.setLong(2, token.value());
            statement.setObject(3, id);
            statement.setLong(4, token.value());
            if (generationColumn != null) {
                statement.setInt(5, generation);
            }
            rows = statement.executeUpdate();
        }
        if (rows == 0) {
            explain(connection, id, token, true);
        }
    }

    /**
     * Makes this token the newest for that row. Call it before the first read, and commit before you rely on it.
     *
     * @throws StaleTokenException if the row has seen a newer token; nothing was changed
     * @throws WrongGenerationException if the row accepts the tokens of another lock store; nothing was changed
     * @throws NoSuchElementException if there is no such row
     */
    public void announce(Connection connection, Object id, FencingToken token) throws SQLException {
        update(connection, id, token, "");
    }

    /**
     * Writes to that row if this token is still the newest it has seen.
     *
     * @param assignments what stands between SET and WHERE, with question marks: part of the statement, so never from
     *     outside
     * @param values for the question marks
     * @throws StaleTokenException if the row has seen a newer token; nothing was written
     * @throws WrongGenerationException if the row accepts the tokens of another lock store; nothing was written
     * @throws NoSuchElementException if there is no such row
     */
    public void update(Connection connection, Object id, FencingToken token, String assignments, Object... values)
            throws SQLException {
        Objects.requireNonNull(id, "id");
        String set = assignments.isBlank() ? "" : assignments + ", ";
        String sql = "UPDATE " + table + " SET " + set + fenceColumn + " = ? WHERE " + idColumn + " = ? AND "
                + fenceColumn + " <= ?" + (readerColumn == null ? "" : " AND " + readerColumn + " <= ?")
                + (generationColumn == null ? "" : " AND " + generationColumn + " = ?");
        int rows;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object value : values) {
                statement.setObject(index++, value);
            }
            statement.setLong(index++, token.value());
            statement.setObject(index++, id);
            statement.setLong(index++, token.value());
            if (readerColumn != null) {
                statement.setLong(index++, token.value());
            }
            if (generationColumn != null) {
                statement.setInt(index, generation);
            }
            rows = statement.executeUpdate();
        }
        if (rows == 0) {
            explain(connection, id, token, false);
        }
    }

    /** No row was counted: it is refused, or missing, or did not change and the driver counts changes only. */
    private void explain(Connection connection, Object id, FencingToken token, boolean read) throws SQLException {
        Seen seen = seen(connection, id);
        if (seen.generation() != generation) {
            throw new WrongGenerationException(table + " " + id, token, generation, seen.generation());
        }
        long refusing = read ? seen.writer() : seen.newest();
        if (refusing > token.value()) {
            throw new StaleTokenException(table + " " + id, token, new FencingToken(refusing));
        }
    }

    /**
     * What the fence of that row has seen, and how it was moved. Changes nothing. The record of moves is in a table of
     * {@link SqlFence#createTable}.
     *
     * @throws NoSuchElementException if there is no such row
     */
    public GuardState inspect(Connection connection, Object id) throws SQLException {
        Seen seen = seen(connection, id);
        try {
            return GuardTable.state(connection, seen.generation(), seen.newest(), table, Tables.bytes(id.toString()));
        } catch (SQLException e) {
            throw GuardTable.withRemedy(connection, e);
        }
    }

    /**
     * Moves the fence of that row to the tokens of another lock store, which may be smaller: once you commit, it accepts only
     * tokens of that generation and refuses all earlier ones, whatever their size. The move is recorded in the same
     * transaction, in a table of {@link SqlFence#createTable}. docs/fencing.md has the order of steps.
     *
     * @param shown what {@link #inspect} returned: the fence is moved only if nothing was announced or moved since
     * @param by who does it; recorded
     * @return false if the fence is not as it was shown; nothing was changed
     * @throws IllegalArgumentException if the generation is not later than the one that was shown
     * @throws IllegalStateException if this table has no column for the generation, or the connection commits by itself
     */
    public boolean move(Connection connection, Object id, GuardState shown, int toGeneration, String by)
            throws SQLException {
        if (generationColumn == null) {
            throw new IllegalStateException(
                    "The fence of " + table + " has no column for its generation, so it cannot be"
                            + " moved: without one, tokens of the old store would pass beside those of the new. Add the column and"
                            + " name it with withGeneration(column, 0) in every process that writes, then move.");
        }
        GuardMove move = GuardMove.of(shown, toGeneration, by, Instant.now());
        GuardTable.Columns columns =
                new GuardTable.Columns(table, idColumn, fenceColumn, readerColumn, generationColumn);
        try {
            return GuardTable.move(connection, columns, id, table, Tables.bytes(id.toString()), move);
        } catch (SQLException e) {
            throw GuardTable.withRemedy(connection, e);
        }
    }

    /** The fence of a row. */
    private record Seen(long writer, long reader, int generation) {
        long newest() {
            return Math.max(writer, reader);
        }
    }

    private Seen seen(Connection connection, Object id) throws SQLException {
        String sql = "SELECT " + fenceColumn + ", " + (readerColumn == null ? "0" : readerColumn) + ", "
                + (generationColumn == null ? "0" : generationColumn) + " FROM " + table + " WHERE " + idColumn
                + " = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, id);
            List<Seen> rows = Sql.rows(statement, row -> new Seen(row.getLong(1), row.getLong(2), row.getInt(3)));
            if (rows.isEmpty()) {
                throw new NoSuchElementException(
                        "No row of " + table + " has " + idColumn + " = " + id + ": nothing was written");
            }
            return rows.get(0);
        }
    }

    private static String requireIdentifier(String name) {
        if (!IDENTIFIER.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "Not a plain identifier: '" + name + "'. It becomes part of a statement.");
        }
        return name;
    }

    @Override
    public String toString() {
        return "FencedTable " + table;
    }
}
