package dev.holdfast.tck;

import dev.holdfast.spi.Environment;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** The machine's own time and threads, for clients that a test drives step by step. */
final class RealTime implements Environment, AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final ThreadFactory DAEMONS = task -> {
        Thread thread = new Thread(task, "tck-" + COUNT.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    };

    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1, DAEMONS);
    private final ExecutorService blocking = Executors.newCachedThreadPool(DAEMONS);
    private final SecureRandom random = new SecureRandom();

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        try {
            ScheduledFuture<?> future = scheduler.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
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
