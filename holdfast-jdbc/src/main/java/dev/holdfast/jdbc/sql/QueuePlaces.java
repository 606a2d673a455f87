package dev.holdfast.jdbc.sql;

import dev.holdfast.jdbc.sql.Steps.AcquireResult;
import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The questions of claims that need do nothing but wait. They lock nothing, so however many wait, they are not in the way of
 * whoever holds the lock.
 */
public final class QueuePlaces extends KnownPlaces {
    private final String waiting;
    private final String held;
    private final String ahead;

    public QueuePlaces(Dialect dialect, Tables tables) {
        waiting = tables.in("SELECT " + dialect.nowMicros() + ", q.expires_at,"
                + " (SELECT count(*) FROM holdfast_queue o WHERE o.name = q.name AND o.place < q.place),"
                + " "
                + Row.columnsOf("l")
                + " FROM holdfast_queue q LEFT JOIN holdfast_lock l ON l.name = q.name"
                + " WHERE q.name = ? AND q.owner = ?");
        held = tables.in("SELECT " + dialect.nowMicros() + ", " + Row.COLUMNS + " FROM holdfast_lock WHERE name = ?");
        ahead = tables.in("SELECT count(*) FROM holdfast_queue q JOIN holdfast_queue o ON o.name = q.name"
                + " AND o.place < q.place WHERE q.name = ? AND q.owner = ?");
    }

    /** How many are in front of a claim that has a place. */
    public int ahead(Connection connection, Claim claim) throws SQLException {
        return Sql.query(connection, ahead, row -> row.getInt(1), Tables.bytes(claim.key()), claim.owner())
                .get(0);
    }

    /** The one question of a claim that has its place. Null if there is something to do. */
    @Nullable
    public AcquireResult waiting(Connection connection, Claim claim) throws SQLException {
        return first(Sql.query(
                connection, waiting, row -> readWaiting(row, claim), Tables.bytes(claim.key()), claim.owner()));
    }

    /** Without a row if the lock is free or ours, or if the place has to be kept from expiring. */
    private static AcquireResult readWaiting(ResultSet columns, Claim claim) throws SQLException {
        long now = columns.getLong(1);
        Row row = isFresh(columns.getLong(2), now) ? somebodyElses(Row.read(columns, 4), claim, now) : null;
        return new AcquireResult(now, false, row, true, columns.getInt(3));
    }

    /** The question of a claim that may have no place. Null if the lock is free, or ours. */
    @Nullable
    public AcquireResult held(Connection connection, Claim claim) throws SQLException {
        boolean queued = has(claim.owner().toString());
        return first(Sql.query(
                connection,
                held,
                columns -> {
                    long now = columns.getLong(1);
                    return new AcquireResult(now, false, somebodyElses(Row.read(columns, 2), claim, now), queued);
                },
                Tables.bytes(claim.key())));
    }

    private static @Nullable Row somebodyElses(@Nullable Row row, Claim claim, long now) {
        return row == null || row.isOver(now) || row.isOf(claim.owner().toString()) ? null : row;
    }

    private static @Nullable AcquireResult first(List<AcquireResult> found) {
        return found.isEmpty() || found.get(0).row() == null ? null : found.get(0);
    }
}
