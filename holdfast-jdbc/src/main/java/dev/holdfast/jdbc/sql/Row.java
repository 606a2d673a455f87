package dev.holdfast.jdbc.sql;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Owner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One row of the lock table. */
public record Row(
        String owner,
        long token,
        int tokens,
        long grantedMicros,
        long expiresMicros,
        String kind,
        String notes,
        Holder holder) {
    /** The kind of all locks that this version makes: exclusive. */
    public static final String EXCLUSIVE = "x";

    /** In the order in which {@link #read} expects them. */
    public static final String COLUMNS =
            "owner, token, tokens, granted_at, expires_at, kind, notes, host, pid, description";
    /** How many there are. */
    static final int WIDTH = 10;

    /** The columns of a table that has this alias. */
    static String columnsOf(String alias) {
        return alias + "." + COLUMNS.replace(", ", ", " + alias + ".");
    }

    /** Reads all columns from there on; null if an outer join found no row. */
    public static @Nullable Row read(ResultSet columns, int first) throws SQLException {
        String owner = columns.getString(first);
        return owner == null
                ? null
                : new Row(
                        owner,
                        columns.getLong(first + 1),
                        columns.getInt(first + 2),
                        columns.getLong(first + 3),
                        columns.getLong(first + 4),
                        text(columns, first + 5),
                        text(columns, first + 6),
                        holder(columns, first + 7));
    }

    public static Holder holder(ResultSet columns, int first) throws SQLException {
        return new Holder(text(columns, first), columns.getLong(first + 1), text(columns, first + 2));
    }

    /** Rows written by other programs may have nulls here. */
    private static String text(ResultSet columns, int column) throws SQLException {
        String text = columns.getString(column);
        return text == null ? "" : text;
    }

    /**
     * Whether that owner holds it, as an exclusive lock. A lock of a kind that this version does not know is somebody else's
     * whoever its owner is: it must not be taken, renewed or ended by rules that it may not have.
     */
    public boolean isOf(String owner) {
        return this.owner.equals(owner) && isKnownKind();
    }

    public boolean isKnownKind() {
        return kind.equals(EXCLUSIVE);
    }

    public boolean isOver(long nowMicros) {
        return expiresMicros <= nowMicros;
    }

    /** The same row, granted at another time. */
    Row grantedAt(long micros) {
        return new Row(owner, token, tokens, micros, expiresMicros, kind, notes, holder);
    }

    /** In the order of the columns; more can be added. */
    List<Object> values() {
        return new ArrayList<>(List.of(
                owner,
                token,
                tokens,
                grantedMicros,
                expiresMicros,
                kind,
                notes,
                holder.host(),
                holder.pid(),
                holder.description()));
    }

    public LockState toState(String name, long nowMicros, List<Waiting> waiting) {
        return stateBuilder(name, nowMicros, waiting).build();
    }

    LockState.Builder stateBuilder(String key, long nowMicros, List<Waiting> waiting) {
        return LockState.builder(key, Owner.parse(owner))
                .holder(holder)
                .tokens(token, tokens)
                .since(Instant.EPOCH.plus(grantedMicros, ChronoUnit.MICROS))
                .remaining(Duration.of(expiresMicros - nowMicros, ChronoUnit.MICROS))
                .waiters(waiting);
    }
}
