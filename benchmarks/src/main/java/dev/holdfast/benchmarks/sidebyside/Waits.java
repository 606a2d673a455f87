package dev.holdfast.benchmarks.sidebyside;

import java.util.Arrays;
import java.util.Collection;

/** How long each acquisition took. Filled by one thread. */
final class Waits {
    private long[] nanos = new long[1024];
    private int size;

    void add(long waited) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * size);
        }
        nanos[size++] = waited;
    }

    int size() {
        return size;
    }

    static Waits merged(Collection<Waits> parts) {
        Waits all = new Waits();
        all.size = parts.stream().mapToInt(Waits::size).sum();
        all.nanos = new long[Math.max(1, all.size)];
        int at = 0;
        for (Waits part : parts) {
            System.arraycopy(part.nanos, 0, all.nanos, at, part.size);
            at += part.size;
        }
        Arrays.sort(all.nanos);
        return all;
    }

    /** Of merged ones. */
    double micros(double quantile) {
        return size == 0 ? Double.NaN : nanos[(int) Math.min(size - 1L, (long) (quantile * size))] / 1e3;
    }
}
