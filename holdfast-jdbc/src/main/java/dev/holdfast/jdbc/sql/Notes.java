package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Claim;
import java.util.OptionalLong;

/**
 * The column {@code notes}: what some versions know of a lock or a claim and others need not, as {@code name=value,name=value}.
 * Nobody removes or changes a note that it does not know.
 */
public final class Notes {
    /** There are none. */
    public static final String NONE = "-";

    private static final String SINCE = "since=";

    private Notes() {}

    /** Of a claim that stands in the queue: the same text however often it asks. */
    public static String of(Claim claim) {
        return claim.queue() ? SINCE + Math.floorDiv(claim.sinceMicros(), 1_000L) : NONE;
    }

    /** Since when a claim waits, in milliseconds since 1970; empty if nobody noted that. */
    public static OptionalLong sinceMillis(String notes) {
        for (String note : notes.split(",", -1)) {
            if (note.startsWith(SINCE)) {
                try {
                    return OptionalLong.of(Long.parseLong(note.substring(SINCE.length())));
                } catch (NumberFormatException e) {
                    return OptionalLong.empty();
                }
            }
        }
        return OptionalLong.empty();
    }
}
