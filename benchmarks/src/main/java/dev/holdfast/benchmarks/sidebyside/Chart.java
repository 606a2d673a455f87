package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import java.util.Locale;

/** Horizontal bars as an SVG picture, readable on light and dark pages. */
final class Chart {
    /** One of them. */
    record Bar(String label, double value) {}

    private static final int WIDTH = 760;
    private static final int LABELS = 200;
    private static final int FIGURES = 110;
    private static final int ROW = 26;
    private static final int TOP = 40;

    private Chart() {}

    static String svg(String title, List<Bar> bars) {
        double longest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        int height = TOP + bars.size() * ROW + 10;
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\"",
                WIDTH,
                height,
                WIDTH);
        add(svg, " font-family=\"sans-serif\" font-size=\"13\">%n");
        add(svg, "<title>%s</title>%n", title);
        add(svg, "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#fbfbf9\"/>%n", WIDTH, height);
        add(svg, "<text x=\"12\" y=\"24\" font-weight=\"bold\" fill=\"#222\">%s</text>%n", title);
        for (int i = 0; i < bars.size(); i++) {
            row(svg, bars.get(i), TOP + i * ROW, longest);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void row(StringBuilder svg, Bar bar, int y, double longest) {
        double length = Math.max(1, bar.value() / longest * (WIDTH - LABELS - FIGURES));
        String colour = bar.label().startsWith("Holdfast") ? "#1f6f8b" : "#b9b4a8";
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#222\">%s</text>%n",
                LABELS - 8,
                y + 15,
                bar.label());
        add(
                svg,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                LABELS,
                y + 2,
                length,
                ROW - 8,
                colour);
        add(
                svg,
                "<text x=\"%.1f\" y=\"%d\" fill=\"#222\">%s</text>%n",
                LABELS + length + 6,
                y + 15,
                Figures.of(bar.value()));
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format.replace("%n", "\n"), values));
    }
}
