package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a claim says about itself, in lines that people can read. The description comes last, so it may be anything.
 *
 * <p>Of a lock and of a read-write lock nothing is decided by it: where a key stands says everything. Of a semaphore, whose a slot
 * is, and how many of them a claim knows.
 *
 * @param kind {@code x}, exclusive; {@code r}, a reader; {@code s8}, for any of eight slots
 * @param notes {@code name=value,name=value}
 */
record ClaimData(int tokens, Duration lease, String kind, String notes, Holder holder) {
    /** Fixed by the protocol: a revision has room for so many tokens before the next one begins. */
    static final int TOKENS_PER_REVISION = 16;

    private static final String EXCLUSIVE = "x";
    private static final String READER = "r";
    /** Followed by the number of slots it knows. */
    private static final String SLOTS = "s";
    /** When the claim was made, in milliseconds by the clock of its process. */
    private static final String MADE = "made=";
    /** Since when it waits, by the same clock. */
    private static final String SINCE = "since=";
    /** Whose slot it is: its key does not say so. */
    private static final String OWNER = "owner=";

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
                kind(claim),
                MADE
                        + millis(claimedMicros)
                        + (claim.queue() ? "," + SINCE + millis(claim.sinceMicros()) : "")
                        + (claim.kind() == LockKind.SEMAPHORE ? "," + OWNER + claim.owner() : ""),
                Long.toString(holder.pid()),
                holder.host(),
                holder.description()));
    }

    private static String kind(Claim claim) {
        return claim.kind() == LockKind.SEMAPHORE ? SLOTS + claim.slots() : claim.shared() ? READER : EXCLUSIVE;
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

    /** Of a claim for a slot: how many it knows. One, if somebody else wrote it. */
    int slots() {
        try {
            return kind.startsWith(SLOTS) ? Integer.parseInt(kind.substring(SLOTS.length())) : 1;
        } catch (NumberFormatException notOurs) {
            return 1;
        }
    }

    /** Of a claim for a slot, and of a slot. Empty: somebody else wrote it. */
    Optional<Owner> owner() {
        try {
            return noted(OWNER).map(Owner::parse);
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private Instant noted(String what, Instant otherwise) {
        try {
            return noted(what).map(Long::parseLong).map(Instant::ofEpochMilli).orElse(otherwise);
        } catch (NumberFormatException notOurs) {
            return otherwise;
        }
    }

    private Optional<String> noted(String what) {
        return Arrays.stream(notes.split(",", -1))
                .filter(note -> note.startsWith(what))
                .map(note -> note.substring(what.length()))
                .findFirst();
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
