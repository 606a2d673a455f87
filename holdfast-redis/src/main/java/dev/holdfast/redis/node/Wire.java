package dev.holdfast.redis.node;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values as they stand in Redis and in pushes: fields separated by single spaces, the free text last, so that an operator
 * can read them with {@code redis-cli}. Reading is lenient: what is not ours reads as nothing.
 */
public final class Wire {
    private Wire() {}

    /** What is held alone: a lock, a slot, a read-write lock by a writer. */
    private static final String EXCLUSIVE = "x";
    /** A read-write lock, by a reader. */
    private static final String READER = "r";

    private static final String NO_NOTES = "-";
    private static final String SINCE = "since=";
    private static final String SLOTS = "slots=";

    /** {@code kind notes pid host description}: what the value of an exclusive lock ends with. */
    static String tail(String holder) {
        return EXCLUSIVE + " " + NO_NOTES + " " + holder;
    }

    /** As the value of an exclusive lock ends, for a reader. */
    public static String tailOfReader(String holder) {
        return READER + " " + NO_NOTES + " " + holder;
    }

    /** {@code pid host description}: the end of lock values and queue entries. */
    public static String holder(Holder holder) {
        StringBuilder text = new StringBuilder(64);
        text.append(holder.pid()).append(' ');
        String host = holder.host();
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            text.append(c <= ' ' ? '_' : c);
        }
        if (host.isEmpty()) {
            text.append('-');
        }
        return text.append(' ').append(holder.description()).toString();
    }

    public static @Nullable Holder parseHolder(String text) {
        String[] fields = text.split(" ", 3);
        if (fields.length < 2) {
            return null;
        }
        try {
            return new Holder(fields[1], Long.parseLong(fields[0]), fields.length < 3 ? "" : fields[2]);
        } catch (NumberFormatException notOurs) {
            return null;
        }
    }

    /** An answer of one text stands for a list of the numbers in it. */
    public static List<Object> numbers(List<Object> reply) {
        if (reply.size() != 1 || !(reply.get(0) instanceof String text)) {
            return reply;
        }
        List<Object> numbers = new ArrayList<>(3);
        int from = 0;
        while (from < text.length()) {
            int space = text.indexOf(' ', from);
            int to = space < 0 ? text.length() : space;
            numbers.add(Long.parseLong(text, from, to, 10));
            from = to + 1;
        }
        return numbers;
    }

    /** A queue entry: the same bytes for every repetition of a claim with the same inbox. */
    public static String entry(Claim claim, String inbox, boolean counted, String holder) {
        return claim.owner() + " " + inbox + " " + claim.lease().toMillis() + " " + claim.tokens() + " "
                + (counted ? 1 : 0) + " " + (claim.kind() == LockKind.SEMAPHORE ? claim.slots() + " " : "")
                + (claim.shared() ? READER : EXCLUSIVE) + " " + SINCE + claim.sinceMicros() / 1000 + " " + holder;
    }

    /** As {@link #entry}, at a node of a quorum. */
    public static String entryOfQuorum(Claim claim, String inbox, String holder) {
        String slots = claim.kind() == LockKind.SEMAPHORE ? "," + SLOTS + claim.slots() : "";
        return claim.owner() + " " + inbox + " " + claim.lease().toMillis() + " " + EXCLUSIVE + " " + SINCE
                + claim.sinceMicros() / 1000 + slots + " " + holder;
    }

    /** Never less than it is, and never zero: Redis knows no shorter time. */
    public static long millisRoundedUp(Duration duration) {
        return Math.max(1, duration.plusNanos(999_999).toMillis());
    }

    /** What a lock value begins with: a renewal compares both. */
    public static String beginning(Owner owner, long token) {
        return owner + " " + token + " ";
    }

    /**
     * A tenure, as it is shown.
     *
     * @param held what is held. The value of a lock says nothing of its end; those of other kinds do
     */
    static Optional<LockState> parseState(Keys.Held held, String value, long remainingMillis, List<?> entries) {
        LockKind kind = LockKey.kindOf(held.key());
        int before = kind == LockKind.LOCK ? 5 : 6;
        String[] fields = value.split(" ", before + 1);
        Tail tail = fields.length <= before ? null : Tail.parse(fields[before]);
        if (tail == null) {
            return Optional.empty();
        }
        List<Waiting> waiting = entries.stream()
                .map(entry -> parseWaiter(String.valueOf(entry), kind == LockKind.SEMAPHORE ? 6 : 5))
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        try {
            return Optional.of(LockState.builder(held.key(), Owner.parse(fields[0]))
                    .slot(held.slot())
                    .shared(tail.kind.equals(READER))
                    .holder(tail.holder)
                    .tokens(Long.parseLong(fields[1]), Integer.parseInt(fields[2]))
                    .since(Instant.EPOCH.plus(Long.parseLong(fields[3]), ChronoUnit.MICROS))
                    .remaining(Duration.ofMillis(Math.max(0, remainingMillis)))
                    .waiters(waiting)
                    .build());
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /** @param before how many fields stand before the kind */
    private static @Nullable Waiting parseWaiter(String entry, int before) {
        String[] fields = entry.split(" ", before + 1);
        Tail tail = fields.length <= before ? null : Tail.parse(fields[before]);
        return tail == null ? null : Waiting.of(tail.holder, tail.since());
    }

    /**
     * How lock values and queue entries end, of whatever kind.
     *
     * @param notes {@code -}, or names with values
     */
    public record Tail(String kind, String notes, Holder holder) {
        /** Null for what Holdfast did not write. */
        public static @Nullable Tail parse(String text) {
            String[] fields = text.split(" ", 3);
            if (fields.length < 3 || !isKind(fields[0]) || fields[1].isEmpty()) {
                return null;
            }
            Holder holder = parseHolder(fields[2]);
            return holder == null ? null : new Tail(fields[0], fields[1], holder);
        }

        /** Begins with a letter. */
        private static boolean isKind(String word) {
            return !word.isEmpty() && (word.charAt(0) | 0x20) >= 'a' && (word.charAt(0) | 0x20) <= 'z';
        }

        /** Since when somebody waits; 1970 where the notes do not say. */
        private Instant since() {
            for (String note : notes.split(",", -1)) {
                if (note.startsWith(SINCE)) {
                    try {
                        return Instant.ofEpochMilli(Long.parseLong(note.substring(SINCE.length())));
                    } catch (NumberFormatException notOurs) {
                        return Instant.EPOCH;
                    }
                }
            }
            return Instant.EPOCH;
        }
    }

    /**
     * A grant that came through the inbox.
     *
     * @param grantedMicros on the clock of the server with that run_id
     * @param windowMillis the claim window: for how long the lock is ours without a confirmation
     * @param key as in {@link LockKey}
     * @param slot of a semaphore
     */
    public record Push(
            Owner owner,
            long lastToken,
            int tokens,
            long grantedMicros,
            long windowMillis,
            String runId,
            String key,
            int slot) {
        /** Of a slot it says which, and then the same as of a lock; of a read-write lock the same behind one word. No owner is so short. */
        private static final String OF_SLOT = "slot ";

        private static final String OF_READ_WRITE_LOCK = "rw ";
        private static final long END_OF_TOKENS = 1L << 53;
        private static final long LONGEST_MILLIS = Duration.ofDays(1).toMillis();

        /** Whether a script of ours could have written these numbers. */
        private boolean isPossible() {
            return tokens >= 1
                    && lastToken >= tokens
                    && lastToken < END_OF_TOKENS
                    && grantedMicros >= 0
                    && grantedMicros < END_OF_TOKENS
                    && windowMillis >= 0
                    && windowMillis <= LONGEST_MILLIS
                    && slot >= 0;
        }

        public static @Nullable Push parse(String message) {
            if (message.startsWith(OF_READ_WRITE_LOCK)) {
                return parse(message.substring(OF_READ_WRITE_LOCK.length()), LockKind.READ_WRITE_LOCK, "0");
            }
            int space = message.startsWith(OF_SLOT) ? message.indexOf(' ', OF_SLOT.length()) : -1;
            return space < 0
                    ? parse(message, LockKind.LOCK, "0")
                    : parse(
                            message.substring(space + 1),
                            LockKind.SEMAPHORE,
                            message.substring(OF_SLOT.length(), space));
        }

        private static @Nullable Push parse(String message, LockKind kind, String slot) {
            String[] fields = message.split(" ", 7);
            if (fields.length < 7) {
                return null;
            }
            try {
                Push push = new Push(
                        Owner.parse(fields[0]),
                        Long.parseLong(fields[1]),
                        Integer.parseInt(fields[2]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[4]),
                        fields[5],
                        new LockKey(kind, fields[6]).encoded(),
                        Integer.parseInt(slot));
                return push.isPossible() ? push : null;
            } catch (IllegalArgumentException notOurs) {
                return null;
            }
        }
    }
}
