package dev.holdfast.benchmarks.failover;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects the figures of a run and prints them as Markdown. */
final class FailoverReport {
    private final List<String> kills = new ArrayList<>();
    private final Map<String, List<Double>> gaps = new LinkedHashMap<>();
    private final Map<String, List<Double>> waits = new LinkedHashMap<>();
    private final List<String> writes = new ArrayList<>();
    private final Map<String, long[]> stale = new LinkedHashMap<>();

    void kill(int number, boolean replicaBehind, long promotedNanos, List<Workers> workers) {
        StringBuilder row = new StringBuilder(
                format("| %d | %s | %.1f |", number, replicaBehind ? "behind" : "up to date", promotedNanos / 1e9));
        for (Workers each : workers) {
            double gap = each.longestGap().toNanos() / 1e9;
            gaps.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(gap);
            double wait = each.longestWait().toNanos() / 1e9;
            waits.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(wait);
            row.append(format(" %.1f | %.1f |", gap, wait));
        }
        kills.add(row.toString());
        System.err.println(row);
    }

    void writes(Workers workers, long total) {
        writes.add(format(
                "| %s | %,d | %,d | %,d | %,d |",
                workers.name(),
                workers.acquired(),
                workers.failures(),
                workers.acknowledged(),
                workers.acknowledged() - total));
    }

    /** Two sections for one name, of which one began before the failover. */
    void stale(String name, int acknowledged, long total) {
        long[] sums = stale.computeIfAbsent(name, any -> new long[3]);
        sums[0]++;
        sums[1] += acknowledged;
        sums[2] += acknowledged - total;
        System.err.println(format("| stale: %s | %d acknowledged | %d counted |", name, acknowledged, total));
    }

    void print() {
        StringBuilder head = new StringBuilder("| kill | replica | new master, s |");
        gaps.keySet().forEach(name -> head.append(format(" %s: nobody, s | one thread, s |", name)));
        System.out.println(head);
        System.out.println("|---|---|---|" + "---|---|".repeat(gaps.size()));
        kills.forEach(System.out::println);
        System.out.println();
        System.out.println("| without the lock, s | nobody had it: median | worst | one thread: median | worst |");
        System.out.println("|---|---|---|---|---|");
        gaps.forEach((name, all) -> {
            List<Double> nobody = all.stream().sorted().toList();
            List<Double> one =
                    waits.getOrDefault(name, List.of()).stream().sorted().toList();
            System.out.println(format(
                    "| %s | %.1f | %.1f | %.1f | %.1f |",
                    name,
                    nobody.get(nobody.size() / 2),
                    nobody.get(nobody.size() - 1),
                    one.get(one.size() / 2),
                    one.get(one.size() - 1)));
        });
        System.out.println();
        System.out.println("| short sections | acquired | ended with an error | acknowledged writes | of these lost |");
        System.out.println("|---|---|---|---|---|");
        writes.forEach(System.out::println);
        System.out.println();
        System.out.println(
                "| sections across a failover that lost the lock | pairs | acknowledged writes | of these lost |");
        System.out.println("|---|---|---|---|");
        stale.forEach(
                (name, sums) -> System.out.println(format("| %s | %d | %d | %d |", name, sums[0], sums[1], sums[2])));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
