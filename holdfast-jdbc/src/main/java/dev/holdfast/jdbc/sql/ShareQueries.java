package dev.holdfast.jdbc.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** The two questions that make a {@link ShareLook}. */
final class ShareQueries {
    /** @param queue how many stand in the queue, those included that have gone without a word */
    record Seen(long nowMicros, long counter, int queue, Stream<Share> share) {
        static Seen read(ResultSet row) throws SQLException {
            return new Seen(row.getLong(1), row.getLong(2), row.getInt(3), Stream.ofNullable(Share.read(row, 4)));
        }
    }

    /** With name, name and bucket. One row at least, unless the bucket has none. */
    final String shares;
    /** With the name; in the order of the places. */
    final String queue;

    ShareQueries(Dialect dialect, Tables tables) {
        shares = tables.in("SELECT " + dialect.nowMicros() + ", f.counter,"
                + " (SELECT count(*) FROM holdfast_share_queue q WHERE q.name = ?), s.slot, "
                + Row.columnsOf("s")
                + " FROM holdfast_fence f LEFT JOIN holdfast_share s ON s.name = ? WHERE f.bucket = ?");
        queue = tables.in("SELECT " + ShareClaim.COLUMNS + " FROM holdfast_share_queue WHERE name = ? ORDER BY place");
    }

    /** @param seen not empty */
    static ShareLook look(List<Seen> seen, List<ShareClaim> queue) {
        Seen first = seen.get(0);
        List<Share> shares = seen.stream().flatMap(Seen::share).toList();
        return new ShareLook(first.nowMicros(), first.counter(), shares, queue);
    }
}
