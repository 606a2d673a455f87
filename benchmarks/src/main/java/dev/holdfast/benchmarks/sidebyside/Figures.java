package dev.holdfast.benchmarks.sidebyside;

import java.util.Locale;

/** Numbers as people read them. */
final class Figures {
    private Figures() {}

    /** With three digits that count. */
    static String of(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value).replace(',', ' ');
    }
}
