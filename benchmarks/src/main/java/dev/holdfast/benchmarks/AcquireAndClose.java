package dev.holdfast.benchmarks;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.InMemoryBackend;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A lease from the in-memory backend, and its end. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AcquireAndClose {
    private final Holdfast holdfast = Holdfast.over(new InMemoryBackend());
    private final DistributedLock lock = holdfast.lock("invoice-00000042");

    @Benchmark
    public long acquireAndClose() throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            return lease.token().value();
        }
    }

    @TearDown
    public void close() {
        holdfast.close();
    }
}
