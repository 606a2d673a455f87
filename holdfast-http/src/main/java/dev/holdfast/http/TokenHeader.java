package dev.holdfast.http;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of the header {@code Holdfast-Token}: a token, and the generation of the guard that it is meant for. As text it is
 * {@code 1763193600123456}, or {@code 1:68719476752} for a generation other than 0. Each value has one spelling.
 *
 * @param generation which lock store the token comes from, as in {@code SqlFence.withGeneration}; 0 until guards were moved
 */
public record TokenHeader(int generation, FencingToken token) {
    /** The name of the header. */
    public static final String NAME = "Holdfast-Token";

    private static final Pattern GRAMMAR = Pattern.compile("(?:([1-9][0-9]{0,9}):)?([1-9][0-9]{0,18})");

    public TokenHeader {
        GuardState.requireGeneration(generation);
        Objects.requireNonNull(token, "token");
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if the text is anything else: it was not written by a client that follows the
     *     specification, so no part of it is believed
     */
    public static TokenHeader parse(String text) {
        Matcher parts = GRAMMAR.matcher(text);
        if (!parts.matches()) {
            throw malformed();
        }
        try {
            String generation = parts.group(1);
            return new TokenHeader(
                    generation == null ? 0 : Integer.parseInt(generation),
                    new FencingToken(Long.parseLong(parts.group(2))));
        } catch (NumberFormatException tooLarge) {
            throw malformed();
        }
    }

    /** Without the text: it comes from outside, and messages end up in logs. */
    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(NAME + " is a number from 1 to " + Long.MAX_VALUE
                + ", after a generation from 1 to " + Integer.MAX_VALUE
                + " and a colon if the guard was moved. No sign, no leading zero, no space.");
    }

    /** What stands in the header: digits and at most one colon, whatever the values are. */
    @Override
    public String toString() {
        return generation == 0 ? token.toString() : generation + ":" + token;
    }
}
