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

    /** One for each hold that others came into: however many they were, it is one mistake. */
    static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        List<Hold> holds = history.holds();
        for (int i = 0; i < holds.size(); i++) {
            compare(history, holds.get(i), holds.subList(i + 1, holds.size()), found);
        }
        return found;
    }

    private static void compare(History history, Hold first, List<Hold> later, List<Violation> found) {
        List<Span> shared = new ArrayList<>();
        List<Section> sections = new ArrayList<>(List.of(first.section()));
        for (Hold second : later) {
            List<Span> common = Span.both(first.believed(), second.believed());
            common = Span.without(common, history.frozen(first.section().client()));
            common = Span.without(common, history.frozen(second.section().client()));
            if (!common.isEmpty()) {
                shared.addAll(common);
                sections.add(second.section());
            }
        }
        if (!shared.isEmpty()) {
            List<Span> all = Span.union(shared);
            Span when = new Span(all.get(0).from(), all.get(all.size() - 1).to());
            long millis = Times.millisUp(Span.total(all));
            found.add(new Violation(
                    Rule.OVERLAP,
                    when,
                    millis,
                    Times.millis(when.nanos() - history.unstalled(when)),
                    sections,
                    first.section() + " and "
                            + (sections.size() == 2 ? sections.get(1) : (sections.size() - 1) + " others")
                            + " believed to hold the lock at once, for " + Times.text(millis)));
        }
    }
}
