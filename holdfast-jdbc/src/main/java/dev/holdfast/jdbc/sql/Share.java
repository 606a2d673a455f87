package dev.holdfast.jdbc.sql;

import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Claim;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of shares: somebody's slot of a semaphore, or a reader or the writer of a read-write lock.
 *
 * @param number of a semaphore the slot; of a read-write lock 0 for the writer, and a number of its own for each reader
 */
public record Share(int number, Row row) {
    static final String SLOT = "s";
    static final String READER = "r";
    static final String WRITER = "w";
    /** As a condition: rows of other kinds are somebody else's, whoever their owners are. */
    static final String KNOWN = "kind IN ('" + SLOT + "', '" + READER + "', '" + WRITER + "')";

    private static final Set<String> KINDS = Set.of(SLOT, READER, WRITER);

    static String kindOf(Claim claim) {
        return switch (claim.kind()) {
            case SEMAPHORE -> SLOT;
            case READ_WRITE_LOCK -> claim.shared() ? READER : WRITER;
            case LOCK -> throw new IllegalArgumentException("A lock is no share");
        };
    }

    /** Reads the number and all columns of the row; null if an outer join found none. */
    public static @Nullable Share read(ResultSet columns, int first) throws SQLException {
        Row row = Row.read(columns, first + 1);
        return row == null ? null : new Share(columns.getInt(first), row);
    }

    /** Whether that owner has it. One of a kind that this version does not know is somebody else's. */
    boolean isOf(String owner) {
        return row.owner().equals(owner) && isKnownKind();
    }

    boolean isKnownKind() {
        return KINDS.contains(row.kind());
    }

    boolean isReader() {
        return row.kind().equals(READER);
    }

    boolean isOver(long nowMicros) {
        return row.isOver(nowMicros);
    }

    /** As core counts: only semaphores have slots. */
    int slot() {
        return row.kind().equals(SLOT) ? number : 0;
    }

    LockState toState(String key, long nowMicros, List<Waiting> waiting) {
        return row.stateBuilder(key, nowMicros, waiting)
                .slot(slot())
                .shared(isReader())
                .build();
    }
}
