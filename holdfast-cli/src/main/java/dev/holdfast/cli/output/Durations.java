package dev.holdfast.cli.output;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people type and read them. */
public final class Durations implements ITypeConverter<Duration> {
    private static final Pattern PLAIN = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

    /** A lifetime. Longer ones are typing errors, and count nanoseconds beyond what a number can hold. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    @Override
    public Duration convert(String text) {
        Duration duration = parse(text);
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new TypeConversionException("'" + text + "' is not a duration from 0 to 36500d");
        }
        return duration;
    }

    private static Duration parse(String text) {
        Matcher plain = PLAIN.matcher(text);
        if (plain.matches()) {
            long amount = Long.parseLong(plain.group(1));
            return switch (plain.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new TypeConversionException(
                    "'" + text + "' is not a duration; write 500ms, 30s, 5m, 2h, 1d or PT1M30S");
        }
    }

    /** To about two figures: 350 ms, 4.2 s, 3 min 20 s, 5 h 12 min, 3 d 4 h. */
    public static String text(Duration duration) {
        long millis = Math.max(0, duration.toMillis());
        long seconds = millis / 1000;
        if (millis < 1000) {
            return millis + " ms";
        }
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds < 86_400
                ? seconds / 3600 + " h " + seconds % 3600 / 60 + " min"
                : seconds / 86_400 + " d " + seconds % 86_400 / 3600 + " h";
    }
}
