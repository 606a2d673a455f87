package dev.holdfast.testing;

import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until told, for tests: hand it to {@code Holdfast.builder(...).environment(time)}. Nothing
 * runs by itself; {@link #advance} runs what falls due, on the calling thread, in order of time. Work handed to {@link
 * #blocking} runs at once on the calling thread. Randomness is seeded, so a test runs the same way every time.
 *
 * <p>Closing a lease or a Holdfast never waits: holders get no grace period, and an answer that is held back is not waited
 * for. A call that blocks ({@code acquire}) needs somebody else to move the clock: use {@code acquireAsync}, advance, and
 * then look at the future; or run the call on a thread of its own, and advance until it is done.
 *
 * <p>Safe for use by many threads; only one should advance.
 */
public final class ManualTime implements Environment {
    private static final class Task implements Scheduled {
        final long dueNanos;
        final long order;
        final Runnable code;
        volatile boolean cancelled;

        Task(long dueNanos, long order, Runnable code) {
            this.dueNanos = dueNanos;
            this.order = order;
            this.code = code;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(
            Comparator.<Task>comparingLong(task -> task.dueNanos).thenComparingLong(task -> task.order));
    private final SplittableRandom random;
    private final RandomGenerator lockedRandom = this::nextLong;
    private long nowNanos;
    private long scheduled;

    /** A clock that shows zero; random numbers begin with seed one. */
    public ManualTime() {
        this(1);
    }

    /** A clock that shows zero; random numbers begin with this seed. */
    public ManualTime(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Moves the clock forward and runs everything that falls due on the way, what that schedules included. */
    public void advance(Duration by) {
        long end = nanoTime() + by.toNanos();
        Task task;
        while ((task = nextUntil(end)) != null) {
            task.code.run();
        }
    }

    private @Nullable Task nextUntil(long end) {
        lock.lock();
        try {
            while (!tasks.isEmpty() && tasks.element().dueNanos <= end) {
                Task task = tasks.remove();
                if (!task.cancelled) {
                    nowNanos = Math.max(nowNanos, task.dueNanos);
                    return task;
                }
            }
            nowNanos = end;
            return null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return nowNanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long wallMicros() {
        return nanoTime() / 1000;
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable code) {
        lock.lock();
        try {
            Task task = new Task(nowNanos + delayNanos, scheduled++, code);
            tasks.add(task);
            return task;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Executor blocking() {
        return Runnable::run;
    }

    @Override
    public boolean timePasses() {
        return false;
    }

    @Override
    public RandomGenerator random() {
        return lockedRandom;
    }

    private long nextLong() {
        lock.lock();
        try {
            return random.nextLong();
        } finally {
            lock.unlock();
        }
    }
}
