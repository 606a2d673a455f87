package dev.holdfast.proving.check;

import java.util.Locale;

/** Nanoseconds for people. */
final class Times {
    private Times() {}

    static long millis(long nanos) {
        return nanos / 1_000_000;
    }

    /** What happened lasted, so it is never zero. */
    static long millisUp(long nanos) {
        return (nanos + 999_999) / 1_000_000;
    }

    static String text(long millis) {
        return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
}
