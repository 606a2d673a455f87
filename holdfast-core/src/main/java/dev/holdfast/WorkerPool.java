package dev.holdfast;

import dev.holdfast.spi.Failures;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of threads that come as they are needed and go when they have been idle for ten seconds. What finds no
 * thread waits its turn. A thread that cannot be started is no reason to lose a task: the threads that are there do it
 * later, and if there is none the caller is told.
 *
 * <p>Not a {@link java.util.concurrent.ThreadPoolExecutor}: with a queue that one starts a thread for every task until all
 * are there, idle ones or not, and an error of {@link Thread#start} reaches the caller though others could do the task.
 */
final class WorkerPool implements Executor, AutoCloseable {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ThreadFactory factory;
    private final int mostThreads;
    // Guards everything below. Held for a moment; tasks run without it, and threads are started without it.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    /** Started, or about to be. */
    private int threads;
    /** Of these, those that were really started. */
    private int started;
    /** Of these, those that wait for a task. */
    private int idle;

    private boolean closed;

    WorkerPool(ThreadFactory factory, int mostThreads) {
        this.factory = factory;
        this.mostThreads = mostThreads;
    }

    /** @throws RejectedExecutionException if this is closed, or if there is no thread and none can be started */
    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("closed");
            }
            tasks.add(task);
            if (tasks.size() <= idle) {
                changed.signal();
                return;
            }
            if (threads == mostThreads) {
                return;
            }
            threads++;
        } finally {
            lock.unlock();
        }
        start(task);
    }

    private void start(Runnable task) {
        try {
            factory.newThread(this::work).start();
        } catch (Throwable failure) {
            if (withdraw(task)) {
                throw new RejectedExecutionException(
                        "no thread could be started: " + Failures.describe(failure), failure);
            }
            return;
        }
        lock.lock();
        try {
            started++;
        } finally {
            lock.unlock();
        }
    }

    /** Nobody was started for this task. False if somebody else is there to do it, or has done it. */
    private boolean withdraw(Runnable task) {
        lock.lock();
        try {
            threads--;
            return started == 0 && tasks.remove(task);
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        Runnable task;
        while ((task = next()) != null) {
            try {
                task.run();
            } catch (Throwable failure) {
                // As if the thread had died of it, but the thread is still good.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
            }
        }
    }

    /** Null when this thread is no longer needed. */
    private @Nullable Runnable next() {
        lock.lock();
        try {
            long left = IDLE_NANOS;
            while (tasks.isEmpty()) {
                if (closed || left <= 0) {
                    threads--;
                    started--;
                    return null;
                }
                idle++;
                try {
                    left = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    // A task interrupted its own thread, and is over.
                    left = IDLE_NANOS;
                } finally {
                    idle--;
                }
            }
            return tasks.remove();
        } finally {
            lock.unlock();
        }
    }

    /** What was accepted is still done. */
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
