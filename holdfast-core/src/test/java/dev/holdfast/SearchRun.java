package dev.holdfast;

import dev.holdfast.SearchScenario.Part;
import dev.holdfast.SearchStore.Waking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Searches: all sequences of a few events, then random walks through long ones. Answers with a text that begins with
 * "clean" or "found"; a text, because the searched engine may live in a class loader of its own.
 */
final class SearchRun implements Supplier<String> {
    static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final int FIRST_WALKS = 3_000;
    private final boolean deep;
    private final int walks;
    private int sequences;

    /** For mutants: a search that needs longer to find a planted bug is not good enough. */
    SearchRun() {
        this(false);
    }

    SearchRun(boolean deep) {
        this.deep = deep;
        walks = deep ? 3_000_000 : 50_000;
    }

    /** A few walks first: they find a coarse bug sooner than the short sequences do. */
    @Override
    public String get() {
        String found = walk(0, FIRST_WALKS);
        for (SearchScenario scenario : exhaustively()) {
            if (found == null) {
                found = all(scenario);
            }
        }
        if (found == null) {
            found = walk(FIRST_WALKS, walks);
        }
        return found == null ? "clean: " + sequences + " sequences, " + walks + " of them random walks" : found;
    }

    private @Nullable String walk(int from, int to) {
        for (int seed = from; seed < to; seed++) {
            SearchScenario scenario = SearchScenario.walk(seed);
            sequences++;
            String failure = new SearchWorld(scenario, new SearchChoices.Random(seed), null).run();
            if (failure != null) {
                StringBuilder trace = new StringBuilder();
                new SearchWorld(scenario, new SearchChoices.Random(seed), trace).run();
                return found(scenario, failure, "seed " + seed + trace);
            }
        }
        return null;
    }

    private List<SearchScenario> exhaustively() {
        int more = deep ? 2 : 0;
        List<SearchScenario> scenarios = new ArrayList<>();
        for (Waking waking : Arrays.asList(Waking.QUEUE, Waking.HINT)) {
            LockKind lock = LockKind.LOCK;
            scenarios.add(SearchScenario.of(lock, waking, 6 + more, 2, 0, Part.CANCEL, Part.LATE_ANSWERS, Part.RIVAL));
            scenarios.add(
                    SearchScenario.of(lock, waking, 4 + more, 2, 1, Part.CANCEL, Part.FAILURES, Part.PUSH_FAULTS));
            scenarios.add(SearchScenario.of(lock, waking, 5 + more, 2, 0, Part.LATE_ANSWERS, Part.TIME, Part.HINTS));
        }
        for (LockKind kind : List.of(LockKind.SEMAPHORE, LockKind.READ_WRITE_LOCK)) {
            scenarios.add(SearchScenario.of(kind, Waking.QUEUE, 5 + more, 3, 0, Part.CANCEL, Part.LATE_ANSWERS));
            scenarios.add(SearchScenario.of(kind, Waking.QUEUE, 4 + more, 3, 1, Part.RIVAL, Part.FAILURES));
        }
        return scenarios;
    }

    private @Nullable String all(SearchScenario scenario) {
        SearchChoices.Exhaustive choices = new SearchChoices.Exhaustive();
        do {
            sequences++;
            String failure = new SearchWorld(scenario, choices, null).run();
            if (failure != null) {
                StringBuilder trace = new StringBuilder();
                choices.again();
                new SearchWorld(scenario, choices, trace).run();
                return found(scenario, failure, trace.toString());
            }
        } while (choices.next());
        return null;
    }

    private String found(SearchScenario scenario, String failure, String how) {
        return "found after " + sequences + " sequences: " + failure + "\n" + scenario + ", " + how;
    }
}
