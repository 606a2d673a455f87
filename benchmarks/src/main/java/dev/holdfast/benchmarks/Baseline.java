package dev.holdfast.benchmarks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The least that a local lock with an expiry could do: look a name up, lock, set a timer and take it back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Baseline {
    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final String name = "invoice-00000042";

    /** Whether threads get the lock in the order in which they came, as they do with ours. */
    @Param("false")
    private boolean fair;

    public Baseline() {
        scheduler.setRemoveOnCancelPolicy(true);
    }

    @Benchmark
    public boolean lockScheduleCancelUnlock() {
        ReentrantLock lock = locks.get(name);
        if (lock == null) {
            lock = locks.computeIfAbsent(name, key -> new ReentrantLock(fair));
        }
        lock.lock();
        try {
            Future<?> renewal = scheduler.schedule(() -> {}, 10, TimeUnit.SECONDS);
            return renewal.cancel(false);
        } finally {
            lock.unlock();
        }
    }

    @TearDown
    public void close() {
        scheduler.shutdownNow();
    }
}
