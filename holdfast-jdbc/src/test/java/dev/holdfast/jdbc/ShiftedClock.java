package dev.holdfast.jdbc;

import dev.holdfast.spi.Environment;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** A process whose wall clock is wrong. */
final class ShiftedClock implements Environment, AutoCloseable {
    private final Duration shift;
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    private final ExecutorService blocking = Executors.newCachedThreadPool();
    private final SecureRandom random = new SecureRandom();

    ShiftedClock(Duration shift) {
        this.shift = shift;
    }

    @Override
    public long nanoTime() {
        // The origin of this clock is arbitrary, too.
        return System.nanoTime() + shift.toNanos();
    }

    @Override
    public long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(shift));
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        ScheduledFuture<?> future = scheduler.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public Executor blocking() {
        return blocking;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        blocking.shutdown();
    }
}
