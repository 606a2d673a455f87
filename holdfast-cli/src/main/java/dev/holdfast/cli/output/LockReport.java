package dev.holdfast.cli.output;

import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.dashboard.json.LockJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is held, for people. Programs get a {@link LockJson}. */
public final class LockReport {
    private static final String GAP = "  ";

    private LockReport() {}

    /** All holders of one name. They have one queue, which stands below the last of them. */
    public static List<String> lines(List<LockState> holders, boolean queueIsKnown) {
        List<String> lines = new ArrayList<>();
        for (LockState holder : holders) {
            lines.addAll(holder(holder));
            lines.add("");
        }
        lines.remove(lines.size() - 1);
        lines.addAll(queue(holders.get(0), queueIsKnown));
        return lines.stream().map(DisplayText::text).toList();
    }

    private static List<String> holder(LockState state) {
        List<String> lines = new ArrayList<>();
        lines.add("name         " + state.name());
        if (state.key().kind() != LockKind.LOCK) {
            lines.add("kind         " + kind(state));
        }
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
        return lines;
    }

    private static List<String> queue(LockState state, boolean queueIsKnown) {
        List<String> lines = new ArrayList<>();
        lines.add("waiters      " + (queueIsKnown ? state.waiters().size() : "unknown: this store keeps no queue"));
        for (Waiting waiter : state.waiters()) {
            lines.add("             " + waiter.process()
                    + (LockJson.knowsSince(waiter)
                            ? " since " + waiter.since() + " (" + age(waiter.since()) + ")"
                            : ""));
        }
        return lines;
    }

    /**
     * One line for each holder, in columns as wide as their content. Where there are only locks, there is no column for the kind. It is
     * the last one, so that the others stay where scripts look for them.
     */
    public static List<String> table(List<LockState> states, boolean queueIsKnown) {
        boolean onlyLocks = states.stream().allMatch(state -> state.key().kind() == LockKind.LOCK);
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "HOST", "PID", "HELD FOR", "REMAINING", "TOKENS", "WAITERS", "DESCRIPTION", "KIND"));
        for (LockState state : states) {
            rows.add(List.of(
                    DisplayText.cell(state.name()),
                    DisplayText.cell(state.holder().host()),
                    Long.toString(state.holder().pid()),
                    age(state),
                    Durations.text(state.remaining()),
                    state.tokens().toString(),
                    queueIsKnown ? waiters(state) : "?",
                    DisplayText.cell(state.holder().description()),
                    kind(state)));
        }
        int[] widths = new int[onlyLocks ? 8 : 9];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
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

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i))
                    .append(" ".repeat(widths[i] - row.get(i).length()))
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static String kind(LockState state) {
        return switch (state.key().kind()) {
            case LOCK -> "lock";
            case SEMAPHORE -> "semaphore, slot " + state.slot();
            case READ_WRITE_LOCK -> "read-write lock, " + (state.shared() ? "reader" : "writer");
        };
    }

    /** What is held, in a sentence. */
    public static String what(LockState state) {
        return state.key() + (state.key().kind() == LockKind.SEMAPHORE ? ", slot " + state.slot() : "");
    }

    /** As the first words of a sentence. */
    public static String capitalized(Object text) {
        String plain = text.toString();
        return Character.toUpperCase(plain.charAt(0)) + plain.substring(1);
    }

    /** By two clocks, ours and the store's: good enough for a human. */
    public static String age(LockState state) {
        return age(state.since());
    }

    private static String age(Instant since) {
        return Durations.text(Duration.between(since, Instant.now()));
    }
}
