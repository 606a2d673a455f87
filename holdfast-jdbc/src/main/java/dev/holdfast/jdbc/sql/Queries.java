package dev.holdfast.jdbc.sql;

import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Statements that only read: describe and list locks. Also sweeps rows of locks that have expired. */
public final class Queries {
    private record Named(String name, long nowMicros, Row row) {
        Found read(Map<String, List<Waiting>> waiting) {
            try {
                return new Found(row, row.toState(name, nowMicros, waiting.getOrDefault(name, List.of())));
            } catch (RuntimeException unreadable) {
                return new Found(row, null);
            }
        }
    }

    /** @param state null if the row cannot be read */
    private record Found(Row row, @Nullable LockState state) {}

    private record Queued(String name, Waiting waiting) {}

    private final Dialect dialect;
    private final Tables tables;

    public Queries(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    public List<LockState> describe(Connection connection, String name) throws SQLException {
        return find(connection, name).map(found -> shown(name, found)).stream().toList();
    }

    /** As {@link #describe}, for somebody who wants to end it: refuses what this version does not know how to end. */
    public List<LockState> describeToBreak(Connection connection, String name) throws SQLException {
        Optional<Found> found = find(connection, name);
        if (found.isPresent() && !found.get().row().isKnownKind()) {
            throw new RefusedException("'" + name + "' is held as a lock of the kind '"
                    + found.get().row().kind()
                    + "', which this version of Holdfast does not know how to break. Nothing was changed: use the version"
                    + " that its holder has");
        }
        return found.map(each -> shown(name, each)).stream().toList();
    }

    private Optional<Found> find(Connection connection, String name) throws SQLException {
        return states(connection, "name = ?", 1, () -> false, Tables.bytes(name)).stream()
                .findFirst();
    }

    private LockState shown(String name, Found found) {
        LockState state = found.state();
        if (state == null && !found.row().isKnownKind()) {
            throw new RefusedException("'" + name + "' is held as a lock of the kind '"
                    + found.row().kind()
                    + "', which this version of Holdfast cannot show. It is busy until it is released or expires");
        }
        if (state == null) {
            throw new RefusedException("the row of '" + name + "' in " + tables.in("holdfast_lock")
                    + " was not written by Holdfast and cannot be read. It counts as a held lock until it expires;"
                    + " delete it if nobody holds it");
        }
        return state;
    }

    /**
     * Rows that cannot be read are left out: somebody else wrote them.
     *
     * @param stopped asked for every row; once it is true nobody wants the answer any more
     */
    public List<LockState> list(Connection connection, String prefix, int limit, BooleanSupplier stopped)
            throws SQLException {
        List<Found> found;
        if (prefix.isEmpty()) {
            found = states(connection, "1 = 1", limit, stopped);
        } else {
            byte[] from = Tables.bytes(prefix);
            byte[] to = Arrays.copyOf(from, from.length);
            // No byte of UTF-8 is the highest, so there is always a next one.
            to[to.length - 1]++;
            found = states(connection, "name >= ? AND name < ?", limit, stopped, from, to);
        }
        return found.stream().flatMap(each -> Stream.ofNullable(each.state())).toList();
    }

    private List<Found> states(Connection connection, String which, int limit, BooleanSupplier stopped, Object... keys)
            throws SQLException {
        String now = dialect.nowMicros();
        List<Named> rows = Sql.query(
                connection,
                tables.in("SELECT name, " + now + ", " + Row.COLUMNS + " FROM holdfast_lock WHERE " + which
                        + " AND expires_at > " + now + " ORDER BY name LIMIT " + limit),
                row -> {
                    goOn(stopped);
                    return new Named(
                            Tables.text(row.getBytes(1)), row.getLong(2), Objects.requireNonNull(Row.read(row, 3)));
                },
                keys);
        Map<String, List<Waiting>> waiting = rows.isEmpty()
                ? Map.of()
                : waiting(
                        connection,
                        rows.get(0).name(),
                        rows.get(rows.size() - 1).name(),
                        stopped);
        return rows.stream().map(each -> each.read(waiting)).toList();
    }

    private static void goOn(BooleanSupplier stopped) {
        if (stopped.getAsBoolean()) {
            throw new CancellationException("nobody wants the answer any more");
        }
    }

    private Map<String, List<Waiting>> waiting(
            Connection connection, String first, String last, BooleanSupplier stopped) throws SQLException {
        List<Queued> queued = Sql.query(
                connection,
                tables.in(
                        "SELECT name, notes, expires_at, host, pid, description FROM holdfast_queue WHERE name >= ? AND name <= ?"
                                + " AND expires_at > " + dialect.nowMicros() + " ORDER BY place"),
                row -> {
                    goOn(stopped);
                    return new Queued(Tables.text(row.getBytes(1)), waiting(row));
                },
                Tables.bytes(first),
                Tables.bytes(last));
        Map<String, List<Waiting>> byName = new HashMap<>();
        for (Queued each : queued) {
            byName.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(each.waiting());
        }
        return byName;
    }

    /** Who does not say since when it waits has waited since it last asked, at least. */
    private static Waiting waiting(ResultSet row) throws SQLException {
        String notes = row.getString(2);
        long asked = row.getLong(3) - Steps.PATIENCE_MICROS;
        long since = Notes.sinceMillis(notes == null ? Notes.NONE : notes).orElse(asked / 1_000);
        return Waiting.of(Row.holder(row, 4), Instant.ofEpochMilli(since));
    }

    /** Rows of names that nobody asks for again must not pile up. Those of names in use are replaced in place. */
    public int sweep(Connection connection, long graceMicros, int most) throws SQLException {
        int swept = sweep(connection, "holdfast_lock", graceMicros, most);
        return swept + sweep(connection, "holdfast_queue", graceMicros, most);
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
