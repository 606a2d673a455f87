package dev.holdfast.cli.output;

import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.dashboard.json.LockJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A held lock, for people. Programs get a {@link LockJson}. */
public final class LockReport {
    private static final String GAP = "  ";

    private LockReport() {}

    public static List<String> lines(LockState state, boolean queueIsKnown) {
        List<String> lines = new ArrayList<>();
        lines.add("name         " + state.name());
        lines.add("host         " + state.holder().host());
        lines.add("pid          " + state.holder().pid());
        lines.add("description  " + state.holder().description());
        lines.add("since        " + state.since() + " (" + age(state) + ")");
        lines.add("remaining    " + Durations.text(state.remaining()) + " unless renewed");
        lines.add("tokens       " + state.tokens());
        if (state.votes().nodes() > 1) {
            lines.add("votes        " + state.votes());
            state.votes().grantedBy().forEach(node -> lines.add("             " + node));
            state.votes()
                    .others()
                    .forEach(node -> lines.add("             " + node + " did not vote, or did not answer"));
        }
        lines.add("waiters      " + (queueIsKnown ? state.waiters().size() : "unknown: this store keeps no queue"));
        for (Waiting waiter : state.waiters()) {
            lines.add("             " + waiter.process()
                    + (LockJson.knowsSince(waiter)
                            ? " since " + waiter.since() + " (" + age(waiter.since()) + ")"
                            : ""));
        }
        return lines.stream().map(DisplayText::text).toList();
    }

    /** One line for each lock, in columns as wide as their content. */
    public static List<String> table(List<LockState> states, boolean queueIsKnown) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"NAME", "HOST", "PID", "HELD FOR", "REMAINING", "TOKENS", "WAITERS", "DESCRIPTION"});
        for (LockState state : states) {
            rows.add(new String[] {
                DisplayText.cell(state.name()),
                DisplayText.cell(state.holder().host()),
                Long.toString(state.holder().pid()),
                age(state),
                Durations.text(state.remaining()),
                state.tokens().toString(),
                queueIsKnown ? waiters(state) : "?",
                DisplayText.cell(state.holder().description())
            });
        }
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /** How many wait, and how long the one that has waited longest. */
    private static String waiters(LockState state) {
        return state.waiters().size()
                + state.waiters().stream()
                        .filter(LockJson::knowsSince)
                        .map(Waiting::since)
                        .min(Comparator.naturalOrder())
                        .map(first -> ", " + age(first))
                        .orElse("");
    }

    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            line.append(row[i]).append(" ".repeat(widths[i] - row[i].length())).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    /** By two clocks, ours and the store's: good enough for a human. */
    public static String age(LockState state) {
        return age(state.since());
    }

    private static String age(Instant since) {
        return Durations.text(Duration.between(since, Instant.now()));
    }
}
