package dev.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Acquire and close against the baseline, in turns, each in a JVM of its own: on a machine that others use as well, only
 * neighbours in time can be compared.
 */
public final class CoreComparison {
    private static final int ROUNDS = 5;

    private CoreComparison() {}

    private record Score(double nanos, double bytes) {}

    public static void main(String[] args) throws RunnerException {
        compare(1);
        compare(16);
    }

    private static void compare(int threads) throws RunnerException {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            Score baseline = run(Baseline.class, threads);
            Score holdfast = run(AcquireAndClose.class, threads);
            ratios.add(holdfast.nanos() / baseline.nanos());
            print(
                    "%2d threads: baseline %7.0f ns %5.0f B   holdfast %7.0f ns %5.0f B   ratio %.2f",
                    threads,
                    baseline.nanos(),
                    baseline.bytes(),
                    holdfast.nanos(),
                    holdfast.bytes(),
                    holdfast.nanos() / baseline.nanos());
        }
        ratios.sort(null);
        print("%2d threads: median ratio %.2f", threads, ratios.get(ROUNDS / 2));
    }

    private static Score run(Class<?> benchmark, int threads) throws RunnerException {
        RunResult result = new Runner(new OptionsBuilder()
                        .include(benchmark.getName())
                        .threads(threads)
                        .param("fair", String.valueOf(threads > 1))
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(4)
                        .measurementTime(TimeValue.seconds(1))
                        .addProfiler(GCProfiler.class)
                        .jvmArgs("-Xms512m", "-Xmx512m")
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        double allocated = result.getSecondaryResults().values().stream()
                .filter(each -> each.getLabel().endsWith("gc.alloc.rate.norm"))
                .mapToDouble(each -> each.getScore())
                .findFirst()
                .orElseThrow();
        return new Score(result.getPrimaryResult().getScore(), allocated);
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
