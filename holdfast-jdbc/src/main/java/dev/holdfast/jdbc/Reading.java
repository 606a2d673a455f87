package dev.holdfast.jdbc;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What only looks. */
final class Reading {
    private record Named(String name, long nowMicros, Row row) {}

    private record Queued(String name, Holder holder) {}

    private final Dialect dialect;
    private final Tables tables;

    Reading(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    Optional<LockState> describe(Connection connection, String name) throws SQLException {
        byte[] bytes = Tables.bytes(name);
        return states(connection, "name = ?", 1, bytes).stream().findFirst();
    }

    List<LockState> list(Connection connection, String prefix, int limit) throws SQLException {
        if (prefix.isEmpty()) {
            return states(connection, "1 = 1", limit);
        }
        byte[] from = Tables.bytes(prefix);
        byte[] to = Arrays.copyOf(from, from.length);
        // No byte of UTF-8 is the highest, so there is always a next one.
        to[to.length - 1]++;
        return states(connection, "name >= ? AND name < ?", limit, from, to);
    }

    private List<LockState> states(Connection connection, String which, int limit, Object... keys) throws SQLException {
        String now = dialect.nowMicros();
        List<Named> rows = Sql.query(
                connection,
                tables.in("SELECT name, " + now + ", " + Row.COLUMNS + " FROM holdfast_lock WHERE " + which
                        + " AND expires_at > " + now + " ORDER BY name LIMIT " + limit),
                row -> new Named(
                        Tables.text(row.getBytes(1)), row.getLong(2), Objects.requireNonNull(Row.read(row, 3))),
                keys);
        Map<String, List<Holder>> waiters = rows.isEmpty() ? Map.of() : waiters(connection, which, keys);
        return rows.stream()
                .map(each ->
                        each.row().toState(each.name(), each.nowMicros(), waiters.getOrDefault(each.name(), List.of())))
                .toList();
    }

    private Map<String, List<Holder>> waiters(Connection connection, String which, Object... keys) throws SQLException {
        if (!dialect.fair()) {
            return Map.of();
        }
        List<Queued> queued = Sql.query(
                connection,
                tables.in("SELECT name, host, pid, description FROM holdfast_queue WHERE " + which
                        + " AND expires_at > " + dialect.nowMicros() + " ORDER BY place"),
                row -> new Queued(Tables.text(row.getBytes(1)), Row.holder(row, 2)),
                keys);
        Map<String, List<Holder>> byName = new HashMap<>();
        for (Queued each : queued) {
            byName.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(each.holder());
        }
        return byName;
    }

    /** Rows of names that nobody asks for again must not pile up. Those of names in use are replaced in place. */
    int sweep(Connection connection, long graceMicros, int most) throws SQLException {
        int swept = sweep(connection, "holdfast_lock", graceMicros, most);
        return dialect.fair() ? swept + sweep(connection, "holdfast_queue", graceMicros, most) : swept;
    }

    /** By key, and checked again: a scan that deletes would stand in the way of everybody. */
    private int sweep(Connection connection, String table, long graceMicros, int most) throws SQLException {
        String expired = " expires_at < " + dialect.nowMicros() + " - " + graceMicros;
        List<byte[]> names = Sql.query(
                connection,
                tables.in("SELECT name FROM " + table + " WHERE" + expired + " LIMIT " + most),
                row -> row.getBytes(1));
        return names.isEmpty()
                ? 0
                : Sql.update(
                        connection,
                        tables.in("DELETE FROM " + table + " WHERE name IN (" + Sql.marks(names.size()) + ") AND"
                                + expired),
                        names.toArray());
    }
}
