package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The run as a page with pictures. */
final class Report {
    private final List<Workload> workloads;
    private final Results results;
    private final StringBuilder page = new StringBuilder();

    Report(List<Workload> workloads, Results results) {
        this.workloads = workloads;
        this.results = results;
    }

    void write(Path folder, String machine) throws IOException {
        Files.createDirectories(folder);
        line("# Locks, side by side");
        line("");
        line("Written by `./bench`. %s", machine);
        line(
                "Systems take turns in short rounds; ratios are medians over rounds of neighbours in time, with their quartiles.");
        goals();
        systems();
        for (Workload workload : workloads) {
            Files.writeString(folder.resolve(workload.name() + ".svg"), chart(workload));
            section(workload);
        }
        Files.writeString(folder.resolve("README.md"), page);
        Files.writeString(folder.resolve("results.json"), results.json());
    }

    private void goals() {
        line("");
        line("## Goals");
        line("");
        line("| goal | wanted | measured | |");
        line("|---|---|---|---|");
        for (Goals.Verdict verdict : Goals.judge(results)) {
            line(
                    "| %s | %s | %s | %s |",
                    verdict.what(),
                    verdict.wanted(),
                    Figures.of(verdict.measured()),
                    verdict.met() ? "met" : "**missed**");
        }
    }

    private void systems() {
        line("");
        line("## Who took part");
        line("");
        List<Peer> all = workloads.stream()
                .flatMap(each -> each.peers().stream())
                .distinct()
                .toList();
        for (Peer peer : all) {
            line("- **%s**: %s.", peer.name(), peer.setUp());
        }
    }

    private String chart(Workload workload) {
        List<Chart.Bar> bars = new ArrayList<>();
        for (String system : results.systems(workload.name())) {
            bars.add(new Chart.Bar(system, results.median(workload.name(), system, workload.headline())));
        }
        return Chart.svg(workload.title() + ": " + workload.headline().title(), bars);
    }

    private void section(Workload workload) {
        line("");
        line("## %s", workload.title());
        line("");
        line("![%s](%s.svg)", workload.title(), workload.name());
        line("");
        line("%s", Sentence.about(workload, results));
        line("");
        table(workload);
    }

    private void table(Workload workload) {
        List<String> systems = List.copyOf(results.systems(workload.name()));
        boolean two = systems.size() == 2;
        line("| | %s |%s", String.join(" | ", systems), two ? " ratio (quartiles) |" : "");
        line("|---|%s", "---|".repeat(systems.size() + (two ? 1 : 0)));
        for (Metric metric : results.metrics(workload.name())) {
            List<String> cells = systems.stream()
                    .map(system -> Figures.of(results.median(workload.name(), system, metric)))
                    .toList();
            String ratio = two ? " " + ratio(workload, systems, metric) + " |" : "";
            line("| %s | %s |%s", metric.title(), String.join(" | ", cells), ratio);
        }
    }

    private String ratio(Workload workload, List<String> two, Metric metric) {
        Results.Ratio ratio = results.ratio(workload.name(), two.get(0), workload.name(), two.get(1), metric);
        return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", ratio.median(), ratio.low(), ratio.high());
    }

    private void line(String format, Object... values) {
        page.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
