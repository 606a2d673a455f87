package dev.holdfast.jdbc.sql;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
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
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Statements that only read: describe and list locks, and what else may be held. Also sweeps rows that have expired.
 *
 * <p>Keys of semaphores and read-write locks begin with a byte that is smaller than any in a name, so they come first.
 */
public final class Queries {
    /** @param share null if it is a lock */
    private record Found(
            String key, long nowMicros, Row row, @Nullable Share share) {
        boolean isKnownKind() {
            return share == null ? row.isKnownKind() : share.isKnownKind();
        }

        /** Null if the row cannot be read. */
        @Nullable
        LockState state(Map<String, List<Waiting>> waiting) {
            List<Waiting> queue = waiting.getOrDefault(key, List.of());
            try {
                return share == null ? row.toState(key, nowMicros, queue) : share.toState(key, nowMicros, queue);
            } catch (RuntimeException unreadable) {
                return null;
            }
        }
    }

    /** @param state null if the row cannot be read */
    private record Shown(Found found, @Nullable LockState state) {}

    private record Queued(String key, Waiting waiting) {}

    private static final List<String> SWEPT =
            List.of("holdfast_lock", "holdfast_queue", "holdfast_share", "holdfast_share_queue");

    private final Dialect dialect;
    private final Tables tables;

    public Queries(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    public List<LockState> describe(Connection connection, String key) throws SQLException {
        return find(connection, key).stream().map(this::shown).toList();
    }

    /** As {@link #describe}, for somebody who wants to end one of them: refuses what this version does not know how to end. */
    public List<LockState> describeToBreak(Connection connection, String key) throws SQLException {
        List<Shown> found = find(connection, key);
        for (Shown each : found) {
            if (!each.found().isKnownKind()) {
                throw new RefusedException("'" + nameIn(key) + "' is held as a lock of the kind '"
                        + each.found().row().kind()
                        + "', which this version of Holdfast does not know how to break. Nothing was changed: use the version"
                        + " that its holder has");
            }
        }
        return found.stream().map(this::shown).toList();
    }

    private List<Shown> find(Connection connection, String key) throws SQLException {
        return isShare(key)
                ? shares(connection, "name = ?", Integer.MAX_VALUE, () -> false, Tables.bytes(key))
                : locks(connection, "name = ?", 1, () -> false, Tables.bytes(key));
    }

    private static boolean isShare(String key) {
        return LockKey.kindOf(key) != LockKind.LOCK;
    }

    private static String nameIn(String key) {
        return LockKey.nameIn(key);
    }

    private LockState shown(Shown shown) {
        Found found = shown.found();
        LockState state = shown.state();
        String name = nameIn(found.key());
        if (state == null && !found.isKnownKind()) {
            throw new RefusedException("'" + name + "' is held as a lock of the kind '"
                    + found.row().kind()
                    + "', which this version of Holdfast cannot show. It is busy until it is released or expires");
        }
        if (state == null) {
            throw new RefusedException("the row of '" + name + "' in "
                    + tables.in(found.share() == null ? "holdfast_lock" : "holdfast_share")
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
    public List<LockState> list(Connection connection, String keyPrefix, int limit, BooleanSupplier stopped)
            throws SQLException {
        List<Shown> found;
        if (keyPrefix.isEmpty()) {
            found = new ArrayList<>(shares(connection, "1 = 1", limit, stopped));
            if (found.size() < limit) {
                found.addAll(locks(connection, "1 = 1", limit - found.size(), stopped));
            }
        } else {
            byte[] from = Tables.bytes(keyPrefix);
            byte[] to = Arrays.copyOf(from, from.length);
            // No byte of UTF-8 is the highest, so there is always a next one.
            to[to.length - 1]++;
            String which = "name >= ? AND name < ?";
            found = isShare(keyPrefix)
                    ? shares(connection, which, limit, stopped, from, to)
                    : locks(connection, which, limit, stopped, from, to);
        }
        return found.stream().flatMap(each -> Stream.ofNullable(each.state())).toList();
    }

    private List<Shown> locks(Connection connection, String which, int limit, BooleanSupplier stopped, Object... keys)
            throws SQLException {
        String now = dialect.nowMicros();
        List<Found> rows = Sql.query(
                connection,
                tables.in("SELECT name, " + now + ", " + Row.COLUMNS + " FROM holdfast_lock WHERE " + which
                        + " AND expires_at > " + now + " ORDER BY name LIMIT " + limit),
                row -> {
                    goOn(stopped);
                    return new Found(
                            Tables.text(row.getBytes(1)),
                            row.getLong(2),
                            Objects.requireNonNull(Row.read(row, 3)),
                            null);
                },
                keys);
        return withQueue(connection, rows, "holdfast_queue", stopped);
    }

    /** Of one key the slots in their order, or the readers in theirs. */
    private List<Shown> shares(Connection connection, String which, int limit, BooleanSupplier stopped, Object... keys)
            throws SQLException {
        String now = dialect.nowMicros();
        List<Found> rows = Sql.query(
                connection,
                tables.in("SELECT name, " + now + ", slot, " + Row.COLUMNS + " FROM holdfast_share WHERE " + which
                        + " AND expires_at > " + now + " ORDER BY name, CASE WHEN kind = '" + Share.SLOT
                        + "' THEN slot ELSE token END LIMIT " + limit),
                row -> {
                    goOn(stopped);
                    Share share = Objects.requireNonNull(Share.read(row, 3));
                    return new Found(Tables.text(row.getBytes(1)), row.getLong(2), share.row(), share);
                },
                keys);
        return withQueue(connection, rows, "holdfast_share_queue", stopped);
    }

    private static void goOn(BooleanSupplier stopped) {
        if (stopped.getAsBoolean()) {
            throw new CancellationException("nobody wants the answer any more");
        }
    }

    private List<Shown> withQueue(Connection connection, List<Found> rows, String queue, BooleanSupplier stopped)
            throws SQLException {
        if (rows.isEmpty()) {
            return List.of();
        }
        String first = rows.get(0).key();
        String last = rows.get(rows.size() - 1).key();
        Map<String, List<Waiting>> waiting = waiting(connection, queue, first, last, stopped);
        return rows.stream().map(each -> new Shown(each, each.state(waiting))).toList();
    }

    private Map<String, List<Waiting>> waiting(
            Connection connection, String queue, String first, String last, BooleanSupplier stopped)
            throws SQLException {
        List<Queued> queued = Sql.query(
                connection,
                tables.in("SELECT name, notes, expires_at, host, pid, description FROM " + queue
                        + " WHERE name >= ? AND name <= ? AND expires_at > " + dialect.nowMicros()
                        + " ORDER BY place"),
                row -> {
                    goOn(stopped);
                    return new Queued(Tables.text(row.getBytes(1)), waiting(row));
                },
                Tables.bytes(first),
                Tables.bytes(last));
        Map<String, List<Waiting>> byName = new HashMap<>();
        for (Queued each : queued) {
            byName.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each.waiting());
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
        int swept = 0;
        for (String table : SWEPT) {
            swept += sweep(connection, table, graceMicros, most);
        }
        return swept;
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
