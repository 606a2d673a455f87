package dev.holdfast.benchmarks.sidebyside;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The program behind {@code ./bench}. */
public final class Bench {
    private static final String USAGE =
            "Usage: ./bench [--quick] [--json FILE] [--report FOLDER] [--before FOLDER] [WORKLOAD…]";

    /**
     * How often, and for how long each time.
     *
     * @param quick with more noise
     * @param builds whether two builds of the same library are compared: they differ by less than the machine does from one second
     *     to the next, so their rounds are many and short
     */
    private record Pace(boolean quick, boolean builds) {
        int rounds() {
            return builds ? (quick ? 11 : 41) : (quick ? 3 : 7);
        }

        double seconds() {
            return quick || builds ? 0.28 : 1;
        }
    }

    private final Pace pace;
    private final Results results = new Results();

    private Bench(Pace pace) {
        this.pace = pace;
    }

    /** Ends the process whatever happened: libraries leave threads behind. */
    public static void main(String[] arguments) {
        try {
            measure(arguments);
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
        System.exit(0);
    }

    private static void measure(String[] arguments) throws Exception {
        boolean quick = false;
        Path json = null;
        Path report = Path.of("target", "bench");
        Path before = null;
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> quick = true;
                case "--json" -> json = Path.of(value(arguments, ++i));
                case "--report" -> report = Path.of(value(arguments, ++i));
                case "--before" -> before = Path.of(value(arguments, ++i));
                default -> wanted.add(arguments[i]);
            }
        }
        Bench bench = new Bench(new Pace(quick, before != null));
        try (Servers one = Servers.started(1)) {
            List<Workload> all = before == null ? Workloads.on(one) : BeforeAndAfter.on(one, before);
            List<Workload> workloads = chosen(all, wanted);
            for (Workload workload : workloads) {
                bench.run(workload);
            }
            new Report(workloads, bench.results).write(report, Machine.describe(quick));
        }
        if (json != null) {
            Files.writeString(json, bench.results.json());
        }
        progress("The report is in " + report.resolve("README.md") + ".");
    }

    private static String value(String[] arguments, int at) {
        if (at == arguments.length) {
            throw usage(arguments[at - 1] + " needs a path.");
        }
        return arguments[at];
    }

    private static List<Workload> chosen(List<Workload> all, List<String> wanted) {
        List<String> names = all.stream().map(Workload::name).toList();
        for (String name : wanted) {
            if (!names.contains(name)) {
                throw usage("No workload '" + name + "'. There are: " + String.join(", ", names) + ".");
            }
        }
        return all.stream()
                .filter(each -> wanted.isEmpty() || wanted.contains(each.name()))
                .toList();
    }

    private static RuntimeException usage(String problem) {
        System.err.println(problem + "\n" + USAGE);
        System.exit(64);
        throw new AssertionError();
    }

    private void run(Workload workload) throws Exception {
        int rounds = workload.rounds(pace.rounds());
        // Whoever is first meets code that was never compiled: of gRPC and Netty that is a lot.
        int warmUp = rounds == 1 ? 0 : results.isEmpty() ? (pace.quick() ? 3 : 8) : pace.quick() ? 1 : 2;
        try (workload) {
            for (int round = 1 - warmUp; round <= rounds; round++) {
                progress(workload.name() + ": " + (round < 1 ? "warming up" : "round " + round + " of " + rounds));
                for (Peer peer : inTurns(workload.peers(), round)) {
                    var figures = workload.round(peer, pace.seconds());
                    if (round > 0) {
                        results.add(workload.name(), peer.name(), figures);
                    }
                }
            }
        }
        print(workload);
    }

    /** Whoever comes first comes after a pause, and after whoever is last: so that is somebody else in each round. */
    private static List<Peer> inTurns(List<Peer> peers, int round) {
        List<Peer> turned = new ArrayList<>(peers);
        Collections.rotate(turned, 1 - round);
        return turned;
    }

    private void print(Workload workload) {
        StringBuilder text = new StringBuilder("\n" + workload.title() + "\n");
        List<Metric> metrics = results.metrics(workload.name());
        for (String system : results.systems(workload.name())) {
            text.append(String.format(Locale.ROOT, "  %s%n", system));
            for (Metric metric : metrics) {
                if (results.has(workload.name(), system, metric)) {
                    String value = Figures.of(results.median(workload.name(), system, metric));
                    text.append(String.format(Locale.ROOT, "    %-40s %12s%n", metric.title(), value));
                }
            }
        }
        System.out.println(text);
    }

    private static void progress(String text) {
        System.err.println(text);
    }
}
