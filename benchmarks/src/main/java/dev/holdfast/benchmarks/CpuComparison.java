package dev.holdfast.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * Acquire and close against the baseline in turns within one JVM, by the CPU time of the calling thread: what a machine
 * that is busy with other things cannot distort. The baseline's scheduler thread is not counted, ours has nothing to do.
 */
public final class CpuComparison {
    private static final int OPERATIONS = 200_000;
    private static final int ROUNDS = 17;
    private static final int WARM_UP = 8;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuComparison() {}

    private interface Operation {
        void run() throws InterruptedException;
    }

    public static void main(String[] args) throws InterruptedException {
        Baseline baseline = new Baseline();
        AcquireAndClose holdfast = new AcquireAndClose();
        double[] ours = new double[ROUNDS];
        double[] theirs = new double[ROUNDS];
        double[] ratios = new double[ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            double base = nanosEach(baseline::lockScheduleCancelUnlock);
            double own = nanosEach(holdfast::acquireAndClose);
            if (round >= 0) {
                theirs[round] = base;
                ours[round] = own;
                ratios[round] = own / base;
            }
        }
        System.out.println(String.format(
                Locale.ROOT,
                "CPU time of the caller, medians: baseline %.0f ns, holdfast %.0f ns, ratio %.2f",
                median(theirs),
                median(ours),
                median(ratios)));
        baseline.close();
        holdfast.close();
    }

    private static double nanosEach(Operation operation) throws InterruptedException {
        long started = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run();
        }
        return (THREADS.getCurrentThreadCpuTime() - started) / (double) OPERATIONS;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
