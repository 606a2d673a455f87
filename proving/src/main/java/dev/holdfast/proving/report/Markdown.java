package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The tables of the run for readers of the repository. */
final class Markdown {
    private final StringBuilder text = new StringBuilder();

    private Markdown() {}

    static String of(Conditions conditions, Results results) {
        Markdown markdown = new Markdown();
        markdown.write(conditions, results);
        return markdown.text.toString();
    }

    private void write(Conditions conditions, Results results) {
        line(conditions.isSoak() ? "# A soak of Holdfast on the proving ground" : "# Results of the proving ground");
        line("");
        line(
                "Written by `%s` on %s: %d trials. %s %s Everybody has a lease of %d ms. What the words mean: [README](README.md). A timeline for"
                        + " each kind of violation: [%s](%s). Figures: [%s](%s).",
                conditions.command(),
                conditions.date(),
                results.trials(),
                conditions.machine(),
                conditions.loadSentence(),
                conditions.leaseMillis(),
                conditions.pageFile(),
                conditions.pageFile(),
                conditions.jsonFile(),
                conditions.jsonFile());
        line("");
        line(
                "(3) in brackets: happened three times, and the documents of the subject never promised otherwise. Bold: against a promise, and"
                        + " shown by the same seed at least two out of three times. Times are the longest of their kind.");
        line("");
        StringBuilder head = new StringBuilder("| | grants |");
        for (Rule rule : Rule.values()) {
            head.append(' ').append(rule.title()).append(" |");
        }
        line("%s longest without service |", head);
        line("|---|%s", "---|".repeat(Rule.values().length + 2));
        results.subjects().forEach(subject -> row(results, subject));
        byFault(results);
        line("");
        line("## What their documents promise, and how they were set up");
        line("");
        line("| | promise | set-up |");
        line("|---|---|---|");
        for (Subject subject : results.subjects()) {
            line(
                    "| %s (%s) | %s. | %s. |",
                    subject.title(), subject.version(), subject.promise().sentence(), subject.setUp());
        }
        line("");
        results.notes().forEach(note -> line("- Note: %s", note));
        line("- Versions: %s.", String.join("; ", conditions.versions()));
    }

    private void row(Results results, Subject subject) {
        StringBuilder row = new StringBuilder("| " + subject.title() + " | "
                + results.of(subject).stream()
                        .mapToLong(each -> each.verdict().grants())
                        .sum() + " |");
        for (Rule rule : Rule.values()) {
            String cell = Table.cell(results, subject, rule);
            row.append(' ')
                    .append(results.isClaimed(subject, rule) ? "**" + cell + "**" : cell)
                    .append(" |");
        }
        line(
                "%s %s |",
                row,
                Table.seconds(results.of(subject).stream()
                        .mapToLong(each -> each.verdict().longestGapMillis())
                        .max()
                        .orElse(0)));
    }

    /** A line for each fault and subject, because a table of all faults is too wide. */
    private void byFault(Results results) {
        line("");
        line("## After which fault");
        line("");
        line("| fault | subject | broken in trials |");
        line("|---|---|---|");
        for (String fault : results.faults()) {
            for (Subject subject : results.subjects()) {
                List<String> broken = new ArrayList<>();
                for (Rule rule : Rule.values()) {
                    cell(results, subject, fault, rule, true).ifPresent(broken::add);
                    cell(results, subject, fault, rule, false).ifPresent(broken::add);
                }
                if (!broken.isEmpty()) {
                    line("| %s | %s | %s |", fault, subject.title(), String.join(", ", broken));
                }
            }
        }
    }

    private static Optional<String> cell(Results results, Subject subject, String fault, Rule rule, boolean promised) {
        long count = results.trialsWith(subject, fault, rule, promised);
        if (count == 0) {
            return Optional.empty();
        }
        String text = rule.title() + " " + count + " of " + results.trials(subject, fault);
        if (!promised) {
            return Optional.of("(" + text + ")");
        }
        return Optional.of(results.isClaimed(subject, fault, rule) ? "**" + text + "**" : text);
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
