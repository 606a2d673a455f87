package dev.holdfast.tck;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Notes for how long this machine, or the store, stands still at worst: what everything else may be late by. */
final class Stalls implements AutoCloseable {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Bench bench;
    private final AtomicLong worstNanos = new AtomicLong();
    /** When the present nap began. */
    private volatile long asleepSince;

    private volatile boolean closed;

    Stalls(Bench bench) {
        this.bench = bench;
        this.asleepSince = bench.now();
        bench.environment().blocking().execute(this::watch);
    }

    private void watch() {
        while (!closed) {
            asleepSince = bench.now();
            LockSupport.parkNanos(NAP_NANOS);
            note(oversleptNanos());
        }
    }

    private long oversleptNanos() {
        return bench.now() - asleepSince - NAP_NANOS;
    }

    /** Something took that long which takes no time on a machine that has nothing else to do. */
    void note(long nanos) {
        worstNanos.accumulateAndGet(nanos, Math::max);
    }

    /** So far, and with the stall that goes on. */
    Duration worst() {
        if (!closed) {
            note(oversleptNanos());
        }
        return Duration.ofNanos(worstNanos.get());
    }

    @Override
    public void close() {
        closed = true;
    }
}
