package dev.holdfast.redis;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a guard's keys hold, as text: the newest token of a writer behind its generation; behind that the newest of a reader, if it is
 * newer; and one line for each move.
 */
final class GuardText {
    private static final Pattern VALUE = Pattern.compile("(?:(?<generation>\\d+):)?(?:\\d+,)?(?<newest>\\d+)");

    private GuardText() {}

    /** A generation that was never moved to is left out: such a guard is the token alone. */
    static String of(int generation, long token) {
        return generation == 0 ? Long.toString(token) : generation + ":" + token;
    }

    static String of(GuardState state) {
        return of(state.generation(), state.newest().map(FencingToken::value).orElse(0L));
    }

    /** @param key where it stands, for the message */
    static int generation(String key, String text) {
        return read(key, text).generation;
    }

    /** @param key where it stands, for the message */
    static long token(String key, String text) {
        return read(key, text).token;
    }

    static GuardState state(String guardKey, String guard, String recordKey, List<String> record) {
        Value value = read(guardKey, guard);
        return GuardState.of(
                value.generation,
                value.token,
                record.stream().map(line -> move(recordKey, line)).toList());
    }

    private record Value(int generation, long token) {}

    private static Value read(String key, String text) {
        Matcher value = VALUE.matcher(text);
        if (value.matches()) {
            String generation = value.group("generation");
            try {
                return new Value(
                        generation == null ? 0 : Integer.parseInt(generation), Long.parseLong(value.group("newest")));
            } catch (NumberFormatException tooLarge) {
                throw unreadable(key, text);
            }
        }
        throw unreadable(key, text);
    }

    static IllegalStateException unreadable(String key, String text) {
        return new IllegalStateException("The guard " + key + " holds '" + text
                + "', which is not a token: somebody else wrote it. Nothing passes and nothing was changed. Find out which"
                + " token was the newest, and set the guard to that one or to a newer one by hand.");
    }

    static String record(GuardMove move) {
        return move.fromGeneration() + " "
                + move.newest().map(FencingToken::value).orElse(0L) + " " + move.toGeneration() + " "
                + move.at().toEpochMilli() + " " + move.by();
    }

    private static GuardMove move(String key, String line) {
        String[] parts = line.split(" ", 5);
        try {
            return GuardMove.recorded(
                    Integer.parseInt(parts[0]),
                    Long.parseLong(parts[1]),
                    Integer.parseInt(parts[2]),
                    parts[4],
                    Instant.ofEpochMilli(Long.parseLong(parts[3])));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | DateTimeException notOurs) {
            throw new IllegalStateException("The record of moves " + key + " has the line '" + line
                    + "', which Holdfast did not write. The guard itself goes on checking tokens. Remove the line: LREM "
                    + key
                    + " 1 LINE.");
        }
    }
}
