package dev.holdfast.cli;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Votes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A held lock, for people and for programs. */
final class States {
    private static final String GAP = "  ";

    private States() {}

    static Map<String, Object> json(LockState state, boolean queueIsKnown) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", state.name());
        fields.put("held", true);
        fields.put("holder", json(state.holder()));
        // As text: tokens may exceed what readers that know only doubles can tell apart.
        fields.put("token", state.token().toString());
        fields.put("since", state.since().toString());
        fields.put("remainingMillis", state.remaining().toMillis());
        if (state.votes().nodes() > 1) {
            fields.put("votes", votes(state.votes()));
        }
        // An empty list would say that nobody waits.
        if (queueIsKnown) {
            fields.put("waiters", state.waiters().stream().map(States::json).toList());
        }
        return fields;
    }

    private static Map<String, Object> votes(Votes votes) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("granted", votes.granted());
        fields.put("nodes", votes.nodes());
        fields.put("grantedBy", votes.grantedBy());
        fields.put("others", votes.others());
        return fields;
    }

    private static Map<String, Object> json(Holder holder) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("host", holder.host());
        fields.put("pid", holder.pid());
        fields.put("description", holder.description());
        return fields;
    }

    static List<String> lines(LockState state, boolean queueIsKnown) {
        List<String> lines = new ArrayList<>();
        lines.add("name         " + state.name());
        lines.add("host         " + state.holder().host());
        lines.add("pid          " + state.holder().pid());
        lines.add("description  " + state.holder().description());
        lines.add("since        " + state.since() + " (" + age(state) + ")");
        lines.add("remaining    " + Spans.text(state.remaining()) + " unless renewed");
        lines.add("token        " + state.token());
        if (state.votes().nodes() > 1) {
            lines.add("votes        " + state.votes());
            state.votes().grantedBy().forEach(node -> lines.add("             " + node));
            state.votes()
                    .others()
                    .forEach(node -> lines.add("             " + node + " does not, or has not answered"));
        }
        lines.add("waiters      " + (queueIsKnown ? state.waiters().size() : "not known to this store"));
        for (Holder waiter : state.waiters()) {
            lines.add("             " + waiter);
        }
        return lines.stream().map(Console::plain).toList();
    }

    /** One line for each lock, in columns as wide as their content. */
    static List<String> table(List<LockState> states, boolean queueIsKnown) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"NAME", "HOST", "PID", "HELD FOR", "REMAINING", "TOKEN", "WAITERS", "DESCRIPTION"});
        for (LockState state : states) {
            rows.add(new String[] {
                Console.plain(state.name()),
                Console.plain(state.holder().host()),
                Long.toString(state.holder().pid()),
                age(state),
                Spans.text(state.remaining()),
                state.token().toString(),
                queueIsKnown ? Integer.toString(state.waiters().size()) : "?",
                Console.plain(state.holder().description())
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

    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            line.append(row[i]).append(" ".repeat(widths[i] - row[i].length())).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    /** By two clocks, ours and the store's: good enough for a human. */
    static String age(LockState state) {
        return Spans.text(Duration.between(state.since(), Instant.now()));
    }
}
