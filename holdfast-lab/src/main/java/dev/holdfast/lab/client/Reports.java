package dev.holdfast.lab.client;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.io.PrintStream;
import java.util.Arrays;

/** Tells the lab what has happened, one line each, with the time. Safe for use by many threads: a line is written at once. */
final class Reports {
    private final PrintStream out;

    Reports(PrintStream out) {
        this.out = out;
    }

    void tell(String what, Object... pairs) {
        // All processes of a machine read the same clock.
        Object[] dated = Arrays.copyOf(pairs, pairs.length + 2);
        dated[pairs.length] = "at";
        dated[pairs.length + 1] = System.nanoTime();
        out.println(Message.of(what, dated).toLine());
        out.flush();
    }

    void tell(Lane lane, String what, Object... pairs) {
        Object[] named = Arrays.copyOf(pairs, pairs.length + 2);
        named[pairs.length] = "lane";
        named[pairs.length + 1] = lane.id();
        tell(what, named);
    }
}
