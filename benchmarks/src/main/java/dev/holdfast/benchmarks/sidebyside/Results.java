package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** All figures of a run, round by round. */
final class Results {
    private record Key(String workload, String system, Metric metric) {}

    /**
     * One against another, round by round: neighbours in time, since the machine may be in use by others.
     *
     * @param low the lower quartile
     * @param high the upper one
     */
    record Ratio(double median, double low, double high) {}

    private final Map<Key, List<Double>> figures = new LinkedHashMap<>();

    void add(String workload, String system, Map<Metric, Double> round) {
        round.forEach((metric, value) -> figures.computeIfAbsent(
                        new Key(workload, system, metric), added -> new ArrayList<>())
                .add(value));
    }

    boolean isEmpty() {
        return figures.isEmpty();
    }

    Set<String> systems(String workload) {
        Set<String> systems = new LinkedHashSet<>();
        for (Key key : figures.keySet()) {
            if (key.workload().equals(workload)) {
                systems.add(key.system());
            }
        }
        return systems;
    }

    /** In the order of the enum. */
    List<Metric> metrics(String workload) {
        return figures.keySet().stream()
                .filter(key -> key.workload().equals(workload))
                .map(Key::metric)
                .distinct()
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    boolean has(String workload, String system, Metric metric) {
        return figures.containsKey(new Key(workload, system, metric));
    }

    double median(String workload, String system, Metric metric) {
        return has(workload, system, metric) ? quantile(rounds(workload, system, metric), 0.5) : Double.NaN;
    }

    /** The first over the second, which may come from another workload of the same run. */
    Ratio ratio(String workload, String system, String otherWorkload, String otherSystem, Metric metric) {
        double[] these = rounds(workload, system, metric);
        double[] those = rounds(otherWorkload, otherSystem, metric);
        double[] ratios = new double[Math.min(these.length, those.length)];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = these[i] / those[i];
        }
        return new Ratio(quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
    }

    private double[] rounds(String workload, String system, Metric metric) {
        return figures.getOrDefault(new Key(workload, system, metric), List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private static double quantile(double[] values, double quantile) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double at = quantile * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    String json() {
        List<String> lines = new ArrayList<>();
        for (Key key : figures.keySet()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  {\"workload\": \"%s\", \"system\": \"%s\", \"metric\": \"%s\", \"value\": %.3f}",
                    key.workload(),
                    key.system(),
                    key.metric().title(),
                    median(key.workload(), key.system(), key.metric())));
        }
        return "[\n" + String.join(",\n", lines) + "\n]\n";
    }
}
