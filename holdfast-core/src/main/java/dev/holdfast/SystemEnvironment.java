package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The real thing: the machine's clock, one thread for time, threads for blocking work and for user code as needed. */
final class SystemEnvironment implements Environment, AutoCloseable {
    /** More than any backend has connections; what comes on top waits its turn. */
    private static final int MOST_BLOCKING = 256;
    /** Callbacks are short, or their user gives an executor of the right size. */
    private static final int MOST_USER_CODE = 64;

    private final ScheduledThreadPoolExecutor scheduler;
    private final WorkerPool blocking = new WorkerPool(new Daemons("holdfast-worker"), MOST_BLOCKING);
    private final WorkerPool userCode = new WorkerPool(new Daemons("holdfast-user"), MOST_USER_CODE);
    private final RandomGenerator random = new SystemRandom();

    SystemEnvironment() {
        scheduler = new ScheduledThreadPoolExecutor(1, new Daemons("holdfast-timer"));
        scheduler.setRemoveOnCancelPolicy(true);
        // Now, while nothing is held: a timer that cannot be started later would leave leases without renewal.
        scheduler.prestartCoreThread();
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

    /** For user code, if the user gave no executor: apart from blocking work, so that neither can starve the other. */
    Executor userCode() {
        return userCode;
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
        blocking.close();
        userCode.close();
    }
}
