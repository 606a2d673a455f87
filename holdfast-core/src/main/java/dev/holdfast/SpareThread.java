package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One thread that exists before it is needed: where user code runs when its executor refuses, because neither the threads
 * that do I/O nor the timer may run it. Takes everything, and does one after the other.
 */
final class SpareThread implements Executor, AutoCloseable {
    private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();

    private final Environment environment;
    private final ThreadFactory factory;
    // Guards everything below. Tasks run without it.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean closed;

    SpareThread(Environment environment, ThreadFactory factory) {
        this.environment = environment;
        this.factory = factory;
    }

    /** Before anything is held: if there is no thread to be had, this throws, and there is nothing to be given back. */
    void start() {
        lock.lock();
        try {
            startThread();
        } finally {
            lock.unlock();
        }
    }

    /** Never refuses, and never runs the task on the calling thread. */
    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            tasks.add(task);
            changed.signal();
        } finally {
            lock.unlock();
        }
        ensureRunning();
    }

    /** It is not there if it was never started, or was closed and had nothing left to do. */
    private void ensureRunning() {
        boolean running;
        lock.lock();
        try {
            if (thread == null && !tasks.isEmpty()) {
                startThread();
            }
            running = true;
        } catch (Throwable noThread) {
            running = false;
        } finally {
            lock.unlock();
        }
        if (!running) {
            environment.schedule(RETRY_NANOS, this::ensureRunning);
        }
    }

    private void startThread() {
        Thread fresh = factory.newThread(this::work);
        fresh.start();
        thread = fresh;
    }

    private void work() {
        Runnable task;
        while ((task = next()) != null) {
            try {
                task.run();
            } catch (Throwable ignored) {
                // Tasks report what user code throws; what is left is a failure to report, and must not end this
                // thread.
            }
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            while (tasks.isEmpty()) {
                if (closed) {
                    thread = null;
                    return null;
                }
                changed.awaitUninterruptibly();
            }
            return tasks.remove();
        } finally {
            lock.unlock();
        }
    }

    /** What was handed over is still done, and what comes after this too. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
