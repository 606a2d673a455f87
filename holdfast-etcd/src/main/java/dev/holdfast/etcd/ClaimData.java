package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.time.Instant;

/**
 * What a claim says about itself, in lines that people can read. The description comes last, so it may be anything.
 *
 * <p>The kind and the notes are room for later versions. Nothing is decided by them: whoever is first in the queue holds the
 * lock, whatever is written there.
 *
 * @param kind {@code x}, exclusive: the only one of this version
 * @param notes {@code name=value,name=value}
 */
record ClaimData(int tokens, Duration lease, String kind, String notes, Holder holder) {
    /** Fixed by the protocol: a revision has room for so many tokens before the next one begins. */
    static final int TOKENS_PER_REVISION = 16;

    private static final String EXCLUSIVE = "x";
    /** When the claim was made, in milliseconds by the clock of its process. */
    private static final String MADE = "made=";
    /** Since when it waits, by the same clock. */
    private static final String SINCE = "since=";

    private static final int LINES = 8;

    static int tokens(Claim claim) {
        return Math.min(claim.tokens(), TOKENS_PER_REVISION);
    }

    /** @param revision the one that created the claim. Never the one of its last change */
    static long lastToken(long revision, int tokens) {
        return Math.addExact(Math.multiplyExact(revision, (long) TOKENS_PER_REVISION), tokens - 1);
    }

    static long revisionOf(long lastToken) {
        return lastToken / TOKENS_PER_REVISION;
    }

    /** @param lease as it is now: it may differ from what was claimed */
    static ByteString encode(Claim claim, Duration lease, long claimedMicros) {
        Holder holder = claim.holder();
        return Keys.bytes(String.join(
                "\n",
                Keys.VERSION,
                Integer.toString(tokens(claim)),
                Long.toString(lease.toMillis()),
                EXCLUSIVE,
                MADE + millis(claimedMicros) + (claim.queue() ? "," + SINCE + millis(claim.sinceMicros()) : ""),
                Long.toString(holder.pid()),
                holder.host(),
                holder.description()));
    }

    private static long millis(long micros) {
        return Math.floorDiv(micros, 1_000L);
    }

    /** When the claim was made. */
    Instant made() {
        return noted(MADE, Instant.EPOCH);
    }

    /** Since when it waits; since it was made, if nobody noted more. */
    Instant waitingSince() {
        return noted(SINCE, made());
    }

    private Instant noted(String what, Instant otherwise) {
        for (String note : notes.split(",", -1)) {
            if (note.startsWith(what)) {
                try {
                    return Instant.ofEpochMilli(Long.parseLong(note.substring(what.length())));
                } catch (NumberFormatException notOurs) {
                    return otherwise;
                }
            }
        }
        return otherwise;
    }

    /**
     * Reads what {@link #encode} wrote. Whatever somebody else wrote there is shown as a claim that says nothing of itself: the
     * key stands in the queue all the same.
     */
    static ClaimData parse(ByteString value) {
        String[] lines = value.toStringUtf8().split("\n", LINES);
        try {
            if (lines.length == LINES && lines[0].equals(Keys.VERSION)) {
                return read(lines);
            }
        } catch (IllegalArgumentException | ArithmeticException notOurs) {
            // Falls through.
        }
        Holder unknown = new Holder("unknown", 0, "what the claim says of itself cannot be read");
        return new ClaimData(TOKENS_PER_REVISION, Duration.ZERO, "", "", unknown);
    }

    private static ClaimData read(String[] lines) {
        int tokens = Integer.parseInt(lines[1]);
        if (tokens < 1 || tokens > TOKENS_PER_REVISION) {
            throw new IllegalArgumentException("No claim of ours reserves so many tokens");
        }
        return new ClaimData(
                tokens,
                Duration.ofMillis(Long.parseLong(lines[2])),
                lines[3],
                lines[4],
                new Holder(lines[6], Long.parseLong(lines[5]), lines[7]));
    }
}
