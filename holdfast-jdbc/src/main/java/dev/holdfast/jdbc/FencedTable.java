package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Pattern;

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

    private FencedTable(String table, String idColumn, String fenceColumn) {
        this.table = requireIdentifier(table);
        this.idColumn = requireIdentifier(idColumn);
        this.fenceColumn = requireIdentifier(fenceColumn);
    }

    /**
     * A table of yours. Does no I/O.
     *
     * @throws IllegalArgumentException if one of these is not a plain identifier: they become part of statements
     */
    public static FencedTable of(String table, String idColumn, String fenceColumn) {
        return new FencedTable(table, idColumn, fenceColumn);
    }

    /**
     * Makes this token the newest for that row. Call it before the first read, and commit before you rely on it.
     *
     * @throws StaleTokenException if the row has seen a newer token; nothing was changed
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
     * @throws NoSuchElementException if there is no such row
     */
    public void update(Connection connection, Object id, FencingToken token, String assignments, Object... values)
            throws SQLException {
        Objects.requireNonNull(id, "id");
        String set = assignments.isBlank() ? "" : assignments + ", ";
        String sql = "UPDATE " + table + " SET " + set + fenceColumn + " = ? WHERE " + idColumn + " = ? AND "
                + fenceColumn + " <= ?";
        int rows;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object value : values) {
                statement.setObject(index++, value);
            }
            statement.setLong(index++, token.value());
            statement.setObject(index++, id);
            statement.setLong(index, token.value());
            rows = statement.executeUpdate();
        }
        if (rows == 0) {
            explain(connection, id, token);
        }
    }

    /** No row was counted: it is stale, or missing, or did not change and the driver counts changes only. */
    private void explain(Connection connection, Object id, FencingToken token) throws SQLException {
        List<Long> newest;
        String sql = "SELECT " + fenceColumn + " FROM " + table + " WHERE " + idColumn + " = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, id);
            newest = Sql.rows(statement, row -> row.getLong(1));
        }
        if (newest.isEmpty()) {
            throw new NoSuchElementException(
                    "No row of " + table + " has " + idColumn + " = " + id + ": nothing was written");
        }
        if (newest.get(0) > token.value()) {
            throw new StaleTokenException(table + " " + id, token, new FencingToken(newest.get(0)));
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
