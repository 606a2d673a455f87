package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a chart shows, in words: against each of the others, the unflattering ones first. */
final class Sentence {
    private Sentence() {}

    static String about(Workload workload, Results results) {
        Metric metric = workload.headline();
        boolean moreIsBetter = metric == Metric.THROUGHPUT;
        String us = workload.peers().get(0).name();
        List<String> worse = new ArrayList<>();
        List<String> better = new ArrayList<>();
        for (String other : results.systems(workload.name())) {
            if (!other.startsWith("Holdfast")) {
                Results.Ratio ratio = results.ratio(workload.name(), us, workload.name(), other, metric);
                String text = compared(ratio, other);
                (moreIsBetter == ratio.median() >= 1 ? better : worse).add(text);
            }
        }
        StringBuilder sentence = new StringBuilder(String.format(
                Locale.ROOT,
                "%s has %s %s",
                us,
                Figures.of(results.median(workload.name(), us, metric)),
                metric.title()));
        if (!worse.isEmpty()) {
            sentence.append("; worse than others: ").append(String.join(", ", worse));
        }
        if (!better.isEmpty()) {
            sentence.append("; better than others: ").append(String.join(", ", better));
        }
        return sentence.append('.').toString();
    }

    private static String compared(Results.Ratio ratio, String other) {
        return ratio.median() < 0.01
                ? String.format(Locale.ROOT, "1/%.0f of %s", 1 / ratio.median(), other)
                : String.format(Locale.ROOT, "%.2f× %s (%.2f–%.2f)", ratio.median(), other, ratio.low(), ratio.high());
    }
}
