package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The run for a terminal: a line for each subject, a column for each rule. */
public final class Table {
    private Table() {}

    public static String of(Results results) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("", "grants"));
        for (Rule rule : Rule.values()) {
            head.add(rule.title());
        }
        head.addAll(List.of("longest gap", "stalled"));
        rows.add(head);
        results.subjects().forEach(subject -> rows.add(row(results, subject)));
        StringBuilder text = new StringBuilder();
        int[] widths = widths(rows);
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                text.append(String.format(
                        Locale.ROOT, i == 0 ? "%-" + widths[i] + "s  " : "%" + widths[i] + "s  ", row.get(i)));
            }
            text.append('\n');
        }
        text.append("(3) happened three times, and was never promised. Times are the longest.\n");
        return text.toString();
    }

    private static int[] widths(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], Math.max(1, row.get(i).length()));
            }
        }
        return widths;
    }

    private static List<String> row(Results results, Subject subject) {
        List<String> row = new ArrayList<>();
        row.add(subject.title());
        row.add(Long.toString(results.of(subject).stream()
                .mapToLong(each -> each.verdict().grants())
                .sum()));
        for (Rule rule : Rule.values()) {
            row.add(cell(results, subject, rule));
        }
        row.add(seconds(results.of(subject).stream()
                .mapToLong(each -> each.verdict().longestGapMillis())
                .max()
                .orElse(0)));
        row.add(seconds(results.of(subject).stream()
                .mapToLong(each -> each.verdict().stalledMillis())
                .max()
                .orElse(0)));
        return row;
    }

    static String cell(Results results, Subject subject, Rule rule) {
        if (rule == Rule.TOKEN_ORDER && !subject.hasTokens()) {
            return "no token";
        }
        long promised = results.count(subject, rule, true);
        long others = results.count(subject, rule, false);
        String count = promised == 0 && others == 0
                ? "0"
                : (promised > 0 ? Long.toString(promised) : "") + (others > 0 ? "(" + others + ")" : "");
        long longest = results.longest(subject, rule);
        return longest == 0 ? count : count + ", " + seconds(longest);
    }

    static String seconds(long millis) {
        return millis < 100 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** One trial of one subject in a line. */
    public static String line(Outcome outcome) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "  %-26s %5d grants, longest gap %s",
                outcome.subject().title(),
                outcome.verdict().grants(),
                seconds(outcome.verdict().longestGapMillis())));
        for (Rule rule : Rule.values()) {
            for (boolean promised : List.of(true, false)) {
                List<Violation> broken = Results.violations(outcome, rule, promised);
                if (!broken.isEmpty()) {
                    long longest =
                            broken.stream().mapToLong(Violation::millis).max().orElse(0);
                    line.append("; ")
                            .append(promised ? "" : "(")
                            .append(rule.title())
                            .append(' ')
                            .append(broken.size())
                            .append('×')
                            .append(longest > 0 ? " " + seconds(longest) : "")
                            .append(promised ? "" : ")");
                }
            }
        }
        return line.toString();
    }
}
