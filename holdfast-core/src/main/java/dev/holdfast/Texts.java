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

    static String ofNanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }
}
