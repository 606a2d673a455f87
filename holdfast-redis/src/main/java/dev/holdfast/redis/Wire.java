package dev.holdfast.redis;

import dev.holdfast.FencingToken;
import dev.holdfast.Holder;
import dev.holdfast.LockState;
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
final class Wire {
    private Wire() {}

    /** {@code pid host description}: the tail of lock values and queue entries. */
    static String holder(Holder holder) {
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

    static @Nullable Holder parseHolder(String text) {
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

    /** What the admission record of this server, one of so many, begins with if it may vote. */
    static String admitted(int servers, RedisNode.Identity server) {
        return "admitted " + servers + ":" + server.memory() + " ";
    }

    /** An answer of one text stands for a list of the numbers in it. */
    static List<Object> numbers(List<Object> reply) {
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

    /** A queue entry, byte for byte what the script makes of the same claim. */
    static String entry(Claim claim, String inbox, boolean counted) {
        return claim.owner() + " " + inbox + " " + claim.lease().toMillis() + " " + claim.tokens() + " "
                + (counted ? 1 : 0) + " " + holder(claim.holder());
    }

    /** What a lock value begins with: a renewal compares both. */
    static String beginning(Owner owner, long token) {
        return owner + " " + token + " ";
    }

    static Optional<LockState> parseState(String name, String value, long remainingMillis, List<?> entries) {
        String[] fields = value.split(" ", 6);
        Holder holder = fields.length < 6 ? null : parseHolder(fields[5]);
        if (holder == null) {
            return Optional.empty();
        }
        List<Holder> waiters = entries.stream()
                .map(entry -> parseWaiter(String.valueOf(entry)))
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        try {
            return Optional.of(new LockState(
                    name,
                    Owner.parse(fields[0]),
                    holder,
                    new FencingToken(Long.parseLong(fields[1])),
                    Instant.EPOCH.plus(Long.parseLong(fields[3]), ChronoUnit.MICROS),
                    Duration.ofMillis(Math.max(0, remainingMillis)),
                    waiters));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private static @Nullable Holder parseWaiter(String entry) {
        String[] fields = entry.split(" ", 6);
        return fields.length < 6 ? null : parseHolder(fields[5]);
    }

    /**
     * A grant that came through the inbox.
     *
     * @param grantedMicros on the clock of the server with that run_id
     * @param windowMillis for how long the lock was lent
     */
    record Push(
            Owner owner, long lastToken, int tokens, long grantedMicros, long windowMillis, String runId, String name) {
        static @Nullable Push parse(String message) {
            String[] fields = message.split(" ", 7);
            if (fields.length < 7) {
                return null;
            }
            try {
                return new Push(
                        Owner.parse(fields[0]),
                        Long.parseLong(fields[1]),
                        Integer.parseInt(fields[2]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[4]),
                        fields[5],
                        fields[6]);
            } catch (IllegalArgumentException notOurs) {
                return null;
            }
        }
    }
}
