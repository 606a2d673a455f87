package dev.holdfast.spring;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them in annotations and properties: a number with its unit, or ISO 8601. */
final class DurationText {
    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,15})\\s*(ms|s|m|h|d)");

    private DurationText() {}

    /** @throws IllegalArgumentException if it is not understood, or is negative */
    static Duration parse(String text) {
        String trimmed = text.trim();
        if (trimmed.equals("0")) {
            return Duration.ZERO;
        }
        Matcher simple = SIMPLE.matcher(trimmed);
        Duration parsed = simple.matches() ? simple(simple) : iso(trimmed);
        if (parsed.isNegative()) {
            throw new IllegalArgumentException("'" + text + "' is negative");
        }
        return parsed;
    }

    private static Duration simple(Matcher parts) {
        long amount = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no duration: write a number with its unit (500ms, 5s, 2m, 1h, 1d) or ISO 8601"
                            + " (PT5S)",
                    e);
        }
    }
}
