package dev.holdfast.jdbc.sql;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Somebody who wants a share: as it asks, or as it stands in the queue.
 *
 * @param slots of a semaphore: it takes any slot below this number
 * @param expiresMicros until when its place counts
 */
record ShareClaim(
        String owner,
        int slots,
        long lease,
        int tokens,
        String inbox,
        String kind,
        String notes,
        Holder holder,
        long expiresMicros) {
    /** In the order in which {@link #read} expects them. */
    static final String COLUMNS = "owner, slots, lease, tokens, inbox, kind, notes, host, pid, description, expires_at";

    static ShareClaim of(Claim claim, String inbox, long expiresMicros) {
        return new ShareClaim(
                claim.owner().toString(),
                claim.slots(),
                PollIntervals.micros(claim.lease()),
                claim.tokens(),
                inbox,
                Share.kindOf(claim),
                Notes.of(claim),
                claim.holder(),
                expiresMicros);
    }

    static ShareClaim read(ResultSet row) throws SQLException {
        return new ShareClaim(
                row.getString(1),
                row.getInt(2),
                row.getLong(3),
                row.getInt(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                Row.holder(row, 8),
                row.getLong(11));
    }

    /** For how long it is given what it has to come for. */
    long window() {
        return Math.min(Steps.CLAIM_WINDOW_MICROS, lease);
    }

    boolean isOver(long nowMicros) {
        return expiresMicros <= nowMicros;
    }
}
