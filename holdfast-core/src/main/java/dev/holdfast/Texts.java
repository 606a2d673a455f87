package dev.holdfast;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them in messages. */
final class Texts {
    private Texts() {}

    static String of(Duration duration) {
        long millis = duration.toMillis();
        return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** For a line of a log: what comes from a store may contain line ends, or marks that turn the direction of writing. */
    static String oneLine(String text) {
        int[] shown = text.codePoints()
                .map(c -> switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SURROGATE -> '?';
                    default -> c;
                })
                .toArray();
        return new String(shown, 0, shown.length);
    }

    static String ofNanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }
}
