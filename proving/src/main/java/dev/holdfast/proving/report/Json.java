package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.check.Section;
import dev.holdfast.proving.check.Verdict;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.subject.Subject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The run for programs. Of a soak, which has thousands of trials, only those in which something was broken. */
final class Json {
    private static final int MOST = 3;

    private Json() {}

    static String of(Conditions conditions, Results results) {
        return "{\n"
                + field("kind", conditions.kind()) + ",\n"
                + field("date", conditions.date()) + ",\n"
                + field("command", conditions.command()) + ",\n"
                + "\"seed\": " + conditions.seed() + ",\n"
                + "\"leaseMillis\": " + conditions.leaseMillis() + ",\n"
                + field("machine", conditions.machine()) + ",\n"
                + "\"cores\": " + conditions.cores() + ",\n"
                + "\"meanLoad\": " + number(conditions.meanLoad()) + ",\n"
                + "\"highestLoad\": " + number(conditions.highestLoad()) + ",\n"
                + "\"meanUseByOthers\": " + number(conditions.meanOthers()) + ",\n"
                + "\"trials\": " + results.trials() + ",\n"
                + "\"versions\": " + texts(conditions.versions()) + ",\n"
                + "\"notes\": " + texts(results.notes()) + ",\n"
                + "\"subjects\": [\n"
                + results.subjects().stream().map(Json::subject).collect(Collectors.joining(",\n"))
                + "\n],\n\"outcomes\": [\n"
                + results.outcomes().stream()
                        .filter(each -> !conditions.isSoak()
                                || !each.verdict().violations().isEmpty())
                        .map(Json::outcome)
                        .collect(Collectors.joining(",\n"))
                + "\n]\n}\n";
    }

    private static String subject(Subject subject) {
        return "{" + field("id", subject.id()) + ", " + field("title", subject.title()) + ", "
                + field("store", subject.store().title()) + ", " + field("version", subject.version()) + ", "
                + field("setUp", subject.setUp()) + ", "
                + field("promise", subject.promise().sentence()) + "}";
    }

    private static String outcome(Outcome outcome) {
        Verdict verdict = outcome.verdict();
        return "{" + field("subject", outcome.subject().id()) + ", "
                + field("fault", outcome.trial().fault().name()) + ", \"round\": "
                + outcome.trial().round() + ", "
                + field("command", outcome.trial().command(outcome.subject()))
                + ", \"grants\": " + verdict.grants() + ", \"writes\": " + verdict.writes() + ", \"refused\": "
                + verdict.refused() + ", \"endedUnaware\": " + verdict.unaware() + ", \"longestGapMillis\": "
                + verdict.longestGapMillis() + ", \"worstNoticeMillis\": " + verdict.worstNoticeMillis()
                + ", \"stalledMillis\": " + verdict.stalledMillis() + ", \"counts\": {" + counts(verdict)
                + "}, \"worst\": ["
                + worst(verdict).stream().map(each -> violation(outcome, each)).collect(Collectors.joining(", "))
                + "]}";
    }

    private static String counts(Verdict verdict) {
        return Stream.of(Rule.values())
                .filter(rule -> verdict.count(rule) > 0)
                .map(rule -> text(rule.name()) + ": " + verdict.count(rule))
                .collect(Collectors.joining(", "));
    }

    /** The logs have the others. */
    private static List<Violation> worst(Verdict verdict) {
        return Stream.of(Rule.values())
                .flatMap(rule -> verdict.violations().stream()
                        .filter(each -> each.rule() == rule)
                        .sorted(Comparator.comparingLong(Violation::millis).reversed())
                        .limit(MOST))
                .toList();
    }

    private static String violation(Outcome outcome, Violation violation) {
        Rule rule = violation.rule();
        return "{" + field("rule", rule.name()) + ", \"promised\": "
                + Results.excuse(outcome, violation).isEmpty()
                + ", \"fromMillis\": " + millis(outcome, violation.when().from()) + ", \"toMillis\": "
                + millis(outcome, violation.when().to()) + ", \"millis\": " + violation.millis()
                + ", \"stalledMillis\": " + violation.stalledMillis() + ", \"sections\": "
                + texts(violation.sections().stream()
                        .limit(10)
                        .map(Section::toString)
                        .toList()) + ", "
                + field("sentence", violation.sentence()) + "}";
    }

    private static long millis(Outcome outcome, long nanos) {
        return (nanos - outcome.history().beginsAt()) / 1_000_000;
    }

    private static String texts(List<String> texts) {
        return texts.stream().map(Json::text).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String field(String key, String value) {
        return text(key) + ": " + text(value);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private static String text(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                default -> {
                    if (c < ' ') {
                        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
