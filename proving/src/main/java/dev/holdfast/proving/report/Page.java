package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.subject.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The run as one page without anything from elsewhere: the tables, and a timeline for each kind of violation of each subject. */
final class Page {
    private final Conditions conditions;
    private final Results results;
    private final StringBuilder html = new StringBuilder();

    private Page(Conditions conditions, Results results) {
        this.conditions = conditions;
        this.results = results;
    }

    static String of(Conditions conditions, Results results) throws IOException {
        return new Page(conditions, results).write();
    }

    private String write() throws IOException {
        line("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
        line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        line("<title>The proving ground</title><style>%s</style></head><body>", style());
        line("<h1>The proving ground</h1>");
        line(
                "<p>%s, %s run, %d trials. Repeat it with <code>%s</code>. %s</p>",
                conditions.date(),
                conditions.kind(),
                results.trials(),
                Html.escape(conditions.command()),
                Html.escape(conditions.machine()));
        line(
                "<p%s>%s Everybody has a lease of %d ms.</p>",
                conditions.isLoaded() ? " class=\"warning\"" : "",
                Html.escape(conditions.loadSentence()),
                conditions.leaseMillis());
        rules();
        faults();
        promises();
        timelines();
        results.notes().forEach(note -> line("<p>Note: %s</p>", Html.escape(note)));
        line("<p>%s</p></body></html>", Html.escape(String.join("; ", conditions.versions())));
        return html.toString();
    }

    private static String style() throws IOException {
        try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream("page.css"), "page.css")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void rules() {
        line("<h2>Who broke which rule</h2><table><thead><tr><th></th><th>grants</th>");
        for (Rule rule : Rule.values()) {
            line("<th title=\"%s\">%s</th>", Html.escape(rule.sentence()), rule.title());
        }
        line("<th>longest time without service</th></tr></thead><tbody>");
        for (Subject subject : results.subjects()) {
            line(
                    "<tr><th>%s</th><td>%d</td>",
                    Html.escape(subject.title()),
                    results.of(subject).stream()
                            .mapToLong(each -> each.verdict().grants())
                            .sum());
            for (Rule rule : Rule.values()) {
                String kind = results.isClaimed(subject, rule)
                        ? "broken"
                        : results.count(subject, rule, true) + results.count(subject, rule, false) > 0
                                ? "excused"
                                : "kept";
                line("<td class=\"%s\">%s</td>", kind, Html.escape(Table.cell(results, subject, rule)));
            }
            line(
                    "<td>%s</td></tr>",
                    Table.seconds(results.of(subject).stream()
                            .mapToLong(each -> each.verdict().longestGapMillis())
                            .max()
                            .orElse(0)));
        }
        line(
                "</tbody></table><p>(3) in brackets: happened three times, and the documents of the subject never promised otherwise. Red: against a"
                        + " promise, and shown by the same seed at least two out of three times. Times are the longest of their kind.</p>");
        line("<ul>");
        for (Rule rule : Rule.values()) {
            line("<li><b>%s</b>: %s.</li>", rule.title(), Html.escape(rule.sentence()));
        }
        line("</ul>");
    }

    private void faults() {
        line(
                "<h2>After which fault</h2><p>In how many trials of how many. A dot: nothing broken.</p><table><thead><tr><th></th>");
        List<String> faults = results.faults();
        faults.forEach(fault -> line("<th title=\"%s\">%s</th>", Html.escape(title(fault)), fault));
        line("</tr></thead><tbody>");
        for (Subject subject : results.subjects()) {
            line("<tr><th>%s</th>", Html.escape(subject.title()));
            faults.forEach(fault -> faultCell(subject, fault));
            line("</tr>");
        }
        line("</tbody></table>");
    }

    private String title(String fault) {
        return results.outcomes().stream()
                .filter(each -> each.trial().fault().name().equals(fault))
                .map(each -> each.trial().fault().title())
                .findFirst()
                .orElse("");
    }

    private void faultCell(Subject subject, String fault) {
        long trials = results.trials(subject, fault);
        if (trials == 0) {
            line("<td></td>");
            return;
        }
        StringBuilder cell = new StringBuilder();
        boolean broken = false;
        for (Rule rule : Rule.values()) {
            broken |= results.isClaimed(subject, fault, rule);
            for (boolean promised : List.of(true, false)) {
                long count = results.trialsWith(subject, fault, rule, promised);
                if (count > 0) {
                    cell.append(cell.length() == 0 ? "" : "<br>")
                            .append(promised ? "" : "(")
                            .append(rule.title())
                            .append(' ')
                            .append(count)
                            .append('/')
                            .append(trials)
                            .append(promised ? "" : ")");
                }
            }
        }
        line(
                "<td class=\"%s\">%s</td>",
                broken ? "broken" : cell.length() > 0 ? "excused" : "kept", cell.length() == 0 ? "·" : cell);
    }

    private void promises() {
        line("<h2>What their documents promise, and how they were set up</h2><table><tbody>");
        for (Subject subject : results.subjects()) {
            line(
                    "<tr><th>%s<br><small>%s</small></th><td>%s.</td><td>%s.</td></tr>",
                    Html.escape(subject.title()),
                    Html.escape(subject.version()),
                    Html.escape(subject.promise().sentence()),
                    Html.escape(subject.setUp()));
        }
        line("</tbody></table>");
    }

    /** The worst of each kind: a subject, a fault, a rule. */
    private void timelines() {
        line(
                "<h2>What happened</h2><p>Bars: when a client believed to hold the lock (dark: those whom it is about). Hatched: the client was"
                        + " frozen. Red: the violation. Grey: the machine stood still. The worst of each kind is shown.</p>");
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        Map<String, Violation> worst = new LinkedHashMap<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Outcome outcome : results.outcomes()) {
            for (Violation violation : outcome.verdict().violations()) {
                String kind = outcome.subject().title() + ", "
                        + outcome.trial().fault().name() + ": "
                        + violation.rule().title();
                counts.merge(kind, 1, Integer::sum);
                Violation other = worst.get(kind);
                if (other == null || Comparator.comparingLong(Violation::millis).compare(violation, other) > 0) {
                    worst.put(kind, violation);
                    outcomes.put(kind, outcome);
                }
            }
        }
        worst.forEach((kind, violation) -> timeline(
                kind, Objects.requireNonNull(outcomes.get(kind)), violation, Objects.requireNonNull(counts.get(kind))));
    }

    private void timeline(String kind, Outcome outcome, Violation violation, int count) {
        String excuse = Results.excuse(outcome, violation).orElse("");
        line(
                "<section><h3>%s</h3><p>%s.%s%s%s</p>",
                Html.escape(kind),
                Html.escape(violation.sentence()),
                count > 1 ? " One of " + count + "." : "",
                violation.stalledMillis() > 0
                        ? " The machine stood still for " + violation.stalledMillis() + " ms of it."
                        : "",
                excuse.isEmpty() ? "" : " Never promised: " + Html.escape(excuse) + ".");
        line(
                "%s<p><small>Round %d of <code>%s</code></small></p></section>",
                Timeline.of(outcome, violation),
                outcome.trial().round(),
                outcome.trial().command(outcome.subject()));
    }

    private void line(String format, Object... values) {
        html.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
