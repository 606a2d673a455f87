package dev.holdfast;

import dev.holdfast.spi.Environment;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * A clock that can also go on while nothing runs, as for a process that was stopped, and whose scheduler can fail. Closing
 * waits for it, as for the real one.
 */
final class FaultyTime implements Environment {
    private final ManualTime time = new ManualTime();
    private long skippedNanos;
    int schedulesToFail;

    /** Time goes by and no alarm rings. */
    void skip(Duration by) {
        skippedNanos += by.toNanos();
    }

    void advance(Duration by) {
        time.advance(by);
    }

    @Override
    public long nanoTime() {
        return time.nanoTime() + skippedNanos;
    }

    @Override
    public long wallMicros() {
        return nanoTime() / 1000;
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        if (schedulesToFail > 0) {
            schedulesToFail--;
            throw new IllegalStateException("no memory for another task");
        }
        return time.schedule(delayNanos, task);
    }

    @Override
    public Executor blocking() {
        return time.blocking();
    }

    @Override
    public RandomGenerator random() {
        return time.random();
    }
}
