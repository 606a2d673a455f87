package dev.holdfast.tck;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Notes for how long this machine stands still at worst: what everything else may be late by. */
final class Stalls implements AutoCloseable {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final AtomicLong worstNanos = new AtomicLong();
    private volatile boolean closed;

    Stalls(Bench bench) {
        bench.environment().blocking().execute(() -> watch(bench));
    }

    private void watch(Bench bench) {
        while (!closed) {
            long before = bench.now();
            LockSupport.parkNanos(NAP_NANOS);
            long late = bench.now() - before - NAP_NANOS;
            worstNanos.accumulateAndGet(late, Math::max);
        }
    }

    Duration worst() {
        return Duration.ofNanos(worstNanos.get());
    }

    @Override
    public void close() {
        closed = true;
    }
}
