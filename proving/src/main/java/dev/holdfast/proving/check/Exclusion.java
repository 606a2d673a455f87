package dev.holdfast.proving.check;

import java.util.ArrayList;
import java.util.List;

/**
 * Two that believed to hold the lock at once. A hold counts from after the answer until before the release, so each moment of such
 * an overlap is real, whatever the load: two processes that run had both been told yes, and neither had been told otherwise. The time in
 * which one of them was frozen does not count: who does not run believes nothing.
 */
final class Exclusion {
    private Exclusion() {}

    static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        List<Hold> holds = history.holds();
        for (int i = 0; i < holds.size(); i++) {
            for (int j = i + 1; j < holds.size(); j++) {
                compare(history, holds.get(i), holds.get(j), found);
            }
        }
        return found;
    }

    private static void compare(History history, Hold first, Hold second, List<Violation> found) {
        List<Span> common = Span.both(first.believed(), second.believed());
        common = Span.without(common, history.frozen(first.section().client()));
        common = Span.without(common, history.frozen(second.section().client()));
        if (!common.isEmpty()) {
            Span when =
                    new Span(common.get(0).from(), common.get(common.size() - 1).to());
            long millis = Times.millisUp(Span.total(common));
            found.add(new Violation(
                    Rule.OVERLAP,
                    when,
                    millis,
                    Times.millis(when.nanos() - history.unstalled(when)),
                    List.of(first.section(), second.section()),
                    first.section() + " and " + second.section() + " both believed to hold the lock for "
                            + Times.text(millis)));
        }
    }
}
