package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A number that grows out of all connections that were opened so far: of each, the number of its session and the moment, as
 * the database tells them. Two copies of one memory have to connect anew, and no two sessions have both in common: at one
 * moment each has a number of its own, and a number that is given out again is given out later.
 */
public final class ConnectionMarks {
    /** Some pools hide which connection they lend. Each loan then looks like a new one, and must not cost a statement. */
    private static final int MOST_PER_MINUTE = 60;

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final String question;
    private final Map<Connection, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());
    private final AtomicLong mark = new AtomicLong();
    // Racy, and benign: a few questions more or fewer.
    private volatile long minuteNanos;
    private final AtomicInteger asked = new AtomicInteger();

    public ConnectionMarks(String sessionId, Dialect dialect) {
        this.question = "SELECT " + sessionId + ", " + dialect.nowMicros();
    }

    /** Zero before the first connection. */
    public long current() {
        return mark.get();
    }

    /** Called with each connection that is lent to us, before the step. Asks only those that were not seen before. */
    public void note(Connection lent, long nowNanos) throws SQLException {
        Connection physical = physical(lent);
        if (known.containsKey(physical) || !mayAsk(nowNanos)) {
            return;
        }
        long read = read(lent);
        known.put(physical, true);
        mark.accumulateAndGet(read, (before, next) -> mix(before + GOLDEN + next));
    }

    private boolean mayAsk(long nowNanos) {
        if (asked.get() == 0 || nowNanos - minuteNanos > MINUTE_NANOS) {
            minuteNanos = nowNanos;
            asked.set(0);
        }
        return asked.incrementAndGet() <= MOST_PER_MINUTE;
    }

    /** Of this connection alone. */
    public long read(Connection connection) throws SQLException {
        return Sql.query(connection, question, row -> mix(mix(row.getLong(1)) + row.getLong(2)))
                .get(0);
    }

    private static Connection physical(Connection lent) throws SQLException {
        return lent.isWrapperFor(Connection.class) ? lent.unwrap(Connection.class) : lent;
    }

    /** The last step of SplitMix64: every bit of the input reaches every bit of the result. */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
