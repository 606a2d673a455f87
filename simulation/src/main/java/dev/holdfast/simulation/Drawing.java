package dev.holdfast.simulation;

import dev.holdfast.simulation.Trace.Kind;
import dev.holdfast.simulation.Trace.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Draws the last part of a run: a lane for everybody, a bar for every lease, a mark for everything else. */
final class Drawing {
    private static final int WIDTH = 960;
    private static final int LEFT = 90;
    private static final int TOP = 56;
    private static final int LANE = 46;
    private static final int MOST_LANES = 8;

    private final Plan plan;
    private final List<Line> lines = new ArrayList<>();
    private final List<String> lanes = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();
    private final long from;
    private final long to;

    Drawing(Plan plan, List<Line> all) {
        this.plan = plan;
        to = end(all);
        from = Math.max(0, to - 5 * plan.lease().toNanos() / 2);
        for (Line line : all) {
            if (line.atNanos() >= from && line.atNanos() <= to) {
                lines.add(line);
            }
        }
        pickLanes();
    }

    /** Where it broke, or where everything was over. */
    private static long end(List<Line> all) {
        for (Line line : all) {
            if (line.kind() == Kind.BROKEN) {
                return line.atNanos() + 1;
            }
        }
        return all.isEmpty() ? 1 : all.get(all.size() - 1).atNanos() + 1;
    }

    private void pickLanes() {
        Set<String> clients = new LinkedHashSet<>();
        for (int i = lines.size() - 1; i >= 0 && clients.size() < MOST_LANES - 2; i--) {
            Line line = lines.get(i);
            if (line.who().startsWith("client") && line.kind() == Kind.LEASE) {
                clients.add(line.who());
            }
        }
        lanes.addAll(clients.stream().sorted().toList());
        lanes.add("server 1");
        lanes.add("resource");
    }

    String svg() {
        int height = TOP + LANE * lanes.size() + 30;
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">%n",
                WIDTH,
                height));
        out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(10, 18, "Seed " + plan.seed() + (plan.guarded() ? ", guarded" : ", without the guard"), "#111", "bold");
        for (Line line : lines) {
            if (line.kind() == Kind.BROKEN) {
                text(10, 36, line.text(), "#b00020", "normal");
            }
        }
        for (String lane : lanes) {
            int y = middle(lane);
            text(10, y + 4, lane, "#333", "normal");
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ccc\"/>%n",
                    LEFT,
                    y,
                    WIDTH - 10,
                    y));
        }
        leases();
        marks();
        axis(TOP + LANE * lanes.size() + 12);
        return out.append("</svg>\n").toString();
    }

    /** From the hand-out to the end of validity, or until the holder let go; after the validity a thin line until it did. */
    private void leases() {
        Map<Long, Line> open = new HashMap<>();
        Map<Long, Line> lost = new HashMap<>();
        for (Line line : lines) {
            Line begun = open.get(line.token());
            if (line.kind() == Kind.LEASE) {
                open.put(line.token(), line);
            } else if (line.kind() == Kind.VALIDITY_ENDED && begun != null) {
                bar(begun, line.atNanos(), 14, "#7aa6d8");
                lost.put(line.token(), line);
            } else if (line.kind() == Kind.CLOSED && begun != null) {
                close(begun, lost.remove(line.token()), line.atNanos());
                open.remove(line.token());
            }
        }
        open.forEach((token, begun) -> close(begun, lost.get(token), to));
    }

    private void close(Line begun, @Nullable Line ended, long atNanos) {
        if (ended == null) {
            bar(begun, atNanos, 14, "#7aa6d8");
        } else {
            bar(begun, atNanos, 4, "#d89a7a");
        }
    }

    private void bar(Line begun, long untilNanos, int thickness, String colour) {
        if (!lanes.contains(begun.who())) {
            return;
        }
        double x = x(begun.atNanos());
        double width = Math.max(2, x(untilNanos) - x);
        int y = middle(begun.who()) - thickness / 2;
        out.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"%s\"><title>%s</title></rect>%n",
                x,
                y,
                width,
                thickness,
                colour,
                escape(begun.text())));
        if (width > 40 && thickness > 10) {
            text((int) x + 3, y + 11, "…" + begun.token() % 1_000_000_000L, "#123", "normal");
        }
    }

    private void marks() {
        for (Line line : lines) {
            if (!lanes.contains(line.who())) {
                continue;
            }
            switch (line.kind()) {
                case WRITE -> mark(line, "#2e7d32", "✓");
                case REFUSED_WRITE -> mark(line, "#b00020", "✗");
                case TAKEN -> mark(line, "#555", "▾");
                case FAULT -> mark(line, "#e08000", "⚡" + line.text().replace("FAULT ", ""));
                default -> {}
            }
        }
    }

    private void mark(Line line, String colour, String sign) {
        text((int) x(line.atNanos()) - 3, middle(line.who()) - 10, sign, colour, "normal", line.text());
    }

    private void axis(int y) {
        for (int i = 0; i <= 6; i++) {
            long at = from + (to - from) * i / 6;
            text((int) x(at) - 14, y, String.format(Locale.ROOT, "%.2f s", at / 1e9), "#777", "normal");
        }
    }

    private int middle(String lane) {
        return TOP + LANE * lanes.indexOf(lane) + LANE / 2;
    }

    private double x(long nanos) {
        return LEFT + (WIDTH - LEFT - 20) * (double) (Math.min(nanos, to) - from) / (to - from);
    }

    private void text(int x, int y, String text, String colour, String weight) {
        text(x, y, text, colour, weight, "");
    }

    private void text(int x, int y, String text, String colour, String weight, String title) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" fill=\"%s\" font-weight=\"%s\">%s%s</text>%n",
                x,
                y,
                colour,
                weight,
                title.isEmpty() ? "" : "<title>" + escape(title) + "</title>",
                escape(text)));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
