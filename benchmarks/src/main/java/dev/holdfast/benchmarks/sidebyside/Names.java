package dev.holdfast.benchmarks.sidebyside;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Which lock a thread wants next. */
final class Names {
    private static final int OWN = 50;
    private static final int POPULAR = 64;
    private static final double[] UP_TO = cumulated();

    private Names() {}

    /** Some that nobody else wants, in turn. */
    static Supplier<String> own(int thread) {
        int[] at = new int[1];
        return () -> "own-" + thread + "-" + at[0]++ % OWN;
    }

    /** The one that everybody wants. */
    static Supplier<String> hot(int thread) {
        return () -> "hot";
    }

    /** One of 64, the k-th wanted with a probability of 1/k of the first's. */
    static Supplier<String> zipf(int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        return () -> {
            int found = Arrays.binarySearch(UP_TO, random.nextDouble() * UP_TO[POPULAR - 1]);
            return "popular-" + (found < 0 ? -found - 1 : found);
        };
    }

    private static double[] cumulated() {
        double[] sums = new double[POPULAR];
        double sum = 0;
        for (int i = 0; i < POPULAR; i++) {
            sum += 1.0 / (i + 1);
            sums[i] = sum;
        }
        return sums;
    }
}
