package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** The real thing: the machine's clock, one thread for time, threads for blocking work as they are needed. */
final class SystemEnvironment implements Environment, AutoCloseable {
    private final ScheduledThreadPoolExecutor scheduler;
    private final ExecutorService blocking;
    private final RandomGenerator random = new BufferedSecureRandom();

    SystemEnvironment() {
        scheduler = new ScheduledThreadPoolExecutor(1, daemons("holdfast-timer"));
        scheduler.setRemoveOnCancelPolicy(true);
        blocking = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons("holdfast-worker"));
    }

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
    public boolean mayBlock() {
        return Blocking.isLent();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    /** Tasks that have begun may finish. */
    @Override
    public void close() {
        scheduler.shutdownNow();
        blocking.shutdown();
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
