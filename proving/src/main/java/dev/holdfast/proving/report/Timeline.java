package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Hold;
import dev.holdfast.proving.check.Section;
import dev.holdfast.proving.check.Span;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A picture of one violation: who believed to hold the lock when, and what was done to whom. */
final class Timeline {
    private static final int WIDTH = 900;
    private static final int LEFT = 60;
    private static final int ROW = 26;
    private static final int TOP = 40;
    /** On both sides of what happened. */
    private static final long MARGIN_NANOS = 1_000_000_000;

    /** What is longer shows its beginning. */
    private static final long MOST_NANOS = 8_000_000_000L;

    private static final Map<Kind, String> MARKS = Map.of(
            Kind.FAULT,
            "fault",
            Kind.HEALED,
            "healed",
            Kind.KILLED,
            "killed",
            Kind.FROZEN,
            "frozen",
            Kind.THAWED,
            "thawed",
            Kind.TOLD,
            "told",
            Kind.REFUSED,
            "refused",
            Kind.WROTE,
            "wrote",
            Kind.END,
            "end");

    private final Outcome outcome;
    private final Violation violation;
    private final long from;
    private final long to;
    private final List<String> clients;
    private final StringBuilder svg = new StringBuilder();

    private Timeline(Outcome outcome, Violation violation) {
        this.outcome = outcome;
        this.violation = violation;
        from = Math.max(outcome.history().beginsAt(), violation.when().from() - MARGIN_NANOS);
        to = Math.min(violation.when().to() + MARGIN_NANOS, from + MOST_NANOS);
        clients = outcome.history().events().stream()
                .map(Event::client)
                .filter(each -> !each.equals(Event.RUNNER))
                .distinct()
                .sorted()
                .toList();
    }

    static String of(Outcome outcome, Violation violation) {
        return new Timeline(outcome, violation).draw();
    }

    private String draw() {
        int height = TOP + ROW * clients.size() + 24;
        line("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, height);
        line("<title>%s</title>", Html.escape(violation.sentence()));
        band(violation.when(), "violation", TOP - 4, ROW * clients.size() + 4);
        for (Span stall : outcome.history().stalls()) {
            band(stall, "stall", TOP - 4, ROW * clients.size() + 4);
        }
        for (int i = 0; i < clients.size(); i++) {
            row(clients.get(i), TOP + i * ROW);
        }
        for (Event event : outcome.history().events()) {
            if (event.client().equals(Event.RUNNER) && MARKS.containsKey(event.kind()) && isShown(event.nanos())) {
                mark(event);
            }
        }
        axis(height - 8);
        line("</svg>");
        return svg.toString();
    }

    private void row(String client, int y) {
        line("<text x=\"4\" y=\"%d\" class=\"name\">%s</text>", y + 15, Html.escape(client));
        line("<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" class=\"row\"/>", LEFT, WIDTH, y + 20, y + 20);
        for (Span frozen : outcome.history().frozen(client)) {
            bar(frozen, "frozen", y + 2, 16, client + " was frozen");
        }
        for (Hold hold : outcome.history().holds()) {
            if (hold.section().client().equals(client)) {
                boolean involved = violation.sections().contains(hold.section());
                for (Span believed : hold.believed()) {
                    bar(believed, involved ? "held involved" : "held", y + 5, 10, title(hold));
                }
            }
        }
        for (Event event : outcome.history().events()) {
            boolean ours = event.client().equals(client) && isShown(event.nanos()) && MARKS.containsKey(event.kind());
            boolean worth =
                    event.kind() != Kind.WROTE || violation.sections().contains(new Section(client, event.section()));
            if (ours && worth) {
                line(
                        "<circle cx=\"%.1f\" cy=\"%d\" r=\"3\" class=\"%s\"><title>%s %s</title></circle>",
                        x(event.nanos()),
                        y + 10,
                        event.kind().name().toLowerCase(Locale.ROOT),
                        Html.escape(client),
                        Html.escape(MARKS.getOrDefault(event.kind(), "")));
            }
        }
    }

    private static String title(Hold hold) {
        return hold.section()
                + (hold.token().isPresent() ? ", token " + hold.token().getAsLong() : "");
    }

    private void mark(Event event) {
        String name = event.text("name").orElse("");
        line(
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"mark\"/>",
                x(event.nanos()), x(event.nanos()), TOP - 8, TOP + ROW * clients.size());
        line(
                "<text x=\"%.1f\" y=\"%d\" class=\"mark\">%s</text>",
                x(event.nanos()) + 2,
                event.kind() == Kind.HEALED ? 28 : 14,
                Html.escape((MARKS.getOrDefault(event.kind(), "") + " " + name).strip()));
    }

    private void axis(int y) {
        long second = 1_000_000_000;
        long begin = outcome.history().beginsAt();
        for (long t = begin + ((from - begin) / second + 1) * second; t < to; t += second) {
            line("<text x=\"%.1f\" y=\"%d\" class=\"axis\">%d s</text>", x(t), y, (t - begin) / second);
        }
    }

    private boolean isShown(long nanos) {
        return nanos >= from && nanos <= to;
    }

    private double x(long nanos) {
        double share = (double) (Math.min(to, Math.max(from, nanos)) - from) / (to - from);
        return LEFT + share * (WIDTH - LEFT - 10);
    }

    private void bar(Span span, String kind, int y, int height, String title) {
        if (span.to() >= from && span.from() <= to) {
            line(
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"><title>%s</title></rect>",
                    x(span.from()), y, Math.max(1, x(span.to()) - x(span.from())), height, kind, Html.escape(title));
        }
    }

    private void band(Span span, String kind, int y, int height) {
        bar(span, kind, y, height, kind.equals("stall") ? "the machine stood still" : violation.sentence());
    }

    private void line(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
