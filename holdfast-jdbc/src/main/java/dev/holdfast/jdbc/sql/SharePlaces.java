package dev.holdfast.jdbc.sql;

import dev.holdfast.jdbc.sql.Steps.AcquireResult;
import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process that have a place in the queue of a semaphore or a read-write lock, and the question of those that need
 * do nothing but wait: it locks nothing.
 */
final class SharePlaces extends KnownPlaces {
    /** @param aheadExpires the first end of a place in front; 0 if nobody is there */
    private record Seen(
            long nowMicros,
            long expires,
            int ahead,
            long aheadExpires,
            @Nullable Share share) {
        static Seen read(ResultSet row) throws SQLException {
            return new Seen(row.getLong(1), row.getLong(2), row.getInt(3), row.getLong(4), Share.read(row, 5));
        }
    }

    private final String waiting;

    SharePlaces(Dialect dialect, Tables tables) {
        String ahead = " FROM holdfast_share_queue o WHERE o.name = q.name AND o.place < q.place)";
        waiting = tables.in("SELECT " + dialect.nowMicros() + ", q.expires_at, (SELECT count(*)" + ahead
                + ", (SELECT min(o.expires_at)" + ahead + ", s.slot, " + Row.columnsOf("s")
                + " FROM holdfast_share_queue q LEFT JOIN holdfast_share s ON s.name = q.name"
                + " WHERE q.name = ? AND q.owner = ?");
    }

    /**
     * The one question of a claim that has its place. Null if there may be something to do: each step serves all that it can, so
     * as long as nobody has left or expired there is not.
     */
    @Nullable
    AcquireResult waiting(Connection connection, Claim claim) throws SQLException {
        List<Seen> seen = Sql.query(connection, waiting, Seen::read, Tables.bytes(claim.key()), claim.owner());
        List<Share> held = new ArrayList<>();
        for (Seen each : seen) {
            long now = each.nowMicros();
            Share share = each.share();
            boolean deadAhead = each.ahead() > 0 && each.aheadExpires() <= now;
            if (share == null
                    || share.isOver(now)
                    || share.isOf(claim.owner().toString())
                    || deadAhead
                    || !isFresh(each.expires(), now)) {
                return null;
            }
            held.add(share);
        }
        if (held.isEmpty()) {
            return null;
        }
        Seen any = seen.get(0);
        return new AcquireResult(any.nowMicros(), false, ShareLook.asOne(held), true, any.ahead() / claim.slots());
    }
}
