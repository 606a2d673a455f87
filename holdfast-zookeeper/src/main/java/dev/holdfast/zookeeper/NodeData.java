package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/**
 * What a claim says about itself, in lines that people can read. The description comes last, so it may be anything.
 *
 * <p>Nothing is decided by the kind and the notes: whatever its kind, a claim stands in the queue. Nobody rewrites a claim, so
 * notes that this version does not know stay.
 *
 * @param kind {@code x} for a lock, {@code s} for a slot of a semaphore, {@code w} and {@code r} for a read-write lock
 * @param notes {@code -} or {@code name=value,name=value}
 */
record NodeData(int tokens, Duration lease, Duration session, String kind, String notes, Holder holder) {
    /** A lock: exclusive. */
    static final String EXCLUSIVE = "x";

    private static final String NO_NOTES = "-";
    private static final String SINCE = "since=";
    private static final int LINES = 9;

    static byte[] of(Claim claim, int tokens, Duration session) {
        Holder holder = claim.holder();
        StringBuilder lines = new StringBuilder(128)
                .append(Paths.VERSION)
                .append('\n')
                .append(tokens)
                .append('\n')
                .append(claim.lease().toMillis())
                .append('\n')
                .append(session.toMillis())
                .append('\n')
                .append(kind(claim))
                .append('\n');
        if (claim.queue()) {
            lines.append(SINCE).append(Math.floorDiv(claim.sinceMicros(), 1_000L));
        } else {
            lines.append(NO_NOTES);
        }
        return lines.append('\n')
                .append(holder.pid())
                .append('\n')
                .append(holder.host())
                .append('\n')
                .append(holder.description())
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String kind(Claim claim) {
        return switch (claim.kind()) {
            case LOCK -> EXCLUSIVE;
            case SEMAPHORE -> "s";
            case READ_WRITE_LOCK -> claim.shared() ? "r" : "w";
        };
    }

    /**
     * Reads what {@link #of} wrote. Whatever somebody else wrote there is shown as a claim that says nothing of itself: the
     * node stands in the queue all the same.
     */
    static NodeData parse(String text) {
        String[] lines = text.split("\n", LINES);
        if (lines.length > 1 && !lines[0].equals(Paths.VERSION) && Paths.isVersion(lines[0])) {
            return unreadable("a claim of version " + lines[0] + ", which this version cannot read");
        }
        try {
            return lines.length == LINES && lines[0].equals(Paths.VERSION) ? read(lines) : unreadable();
        } catch (IllegalArgumentException | ArithmeticException e) {
            return unreadable();
        }
    }

    private static NodeData unreadable() {
        return unreadable("what the claim says of itself cannot be read");
    }

    /** The most tokens and the least time that it can have. */
    private static NodeData unreadable(String why) {
        return new NodeData(
                Place.TOKENS_PER_ZXID, Duration.ZERO, Duration.ZERO, "", NO_NOTES, new Holder("unknown", 0, why));
    }

    private static NodeData read(String[] lines) {
        int tokens = Integer.parseInt(lines[1]);
        if (tokens < 1 || tokens > Place.TOKENS_PER_ZXID) {
            return unreadable();
        }
        return new NodeData(
                tokens,
                Duration.ofMillis(Long.parseLong(lines[2])),
                Duration.ofMillis(Long.parseLong(lines[3])),
                lines[4],
                lines[5],
                new Holder(lines[7], Long.parseLong(lines[6]), lines[8]));
    }

    /**
     * Since when the claim waits, by the clock of its process.
     *
     * @param otherwise if nobody noted that
     */
    Instant since(Instant otherwise) {
        for (String note : notes.split(",", -1)) {
            if (note.startsWith(SINCE)) {
                try {
                    return Instant.ofEpochMilli(Long.parseLong(note.substring(SINCE.length())));
                } catch (NumberFormatException e) {
                    return otherwise;
                }
            }
        }
        return otherwise;
    }
}
