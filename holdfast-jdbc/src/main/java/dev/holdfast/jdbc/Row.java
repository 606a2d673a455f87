package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.spi.Owner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One row of the lock table. */
record Row(String owner, long token, int tokens, long grantedMicros, long expiresMicros, Holder holder) {
    /** In the order in which {@link #read} expects them. */
    static final String COLUMNS = "owner, token, tokens, granted_at, expires_at, host, pid, description";

    /** Reads eight columns from there on; null if an outer join found no row. */
    static @Nullable Row read(ResultSet columns, int first) throws SQLException {
        String owner = columns.getString(first);
        return owner == null
                ? null
                : new Row(
                        owner,
                        columns.getLong(first + 1),
                        columns.getInt(first + 2),
                        columns.getLong(first + 3),
                        columns.getLong(first + 4),
                        holder(columns, first + 5));
    }

    static Holder holder(ResultSet columns, int first) throws SQLException {
        return new Holder(columns.getString(first), columns.getLong(first + 1), columns.getString(first + 2));
    }

    boolean isOver(long nowMicros) {
        return expiresMicros <= nowMicros;
    }

    LockState toState(String name, long nowMicros, List<Holder> waiters) {
        return new LockState(
                name,
                Owner.parse(owner),
                holder,
                new FencingToken(token),
                Instant.EPOCH.plus(grantedMicros, ChronoUnit.MICROS),
                Duration.of(expiresMicros - nowMicros, ChronoUnit.MICROS),
                waiters);
    }
}
