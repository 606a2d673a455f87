package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Time for the search: stands still until told, and can also jump over what is due, as for a process that was paused. */
final class SearchClock implements Environment {
    private static final class Task implements Scheduled {
        final long dueNanos;
        final Runnable code;
        boolean cancelled;

        Task(long dueNanos, Runnable code) {
            this.dueNanos = dueNanos;
            this.code = code;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private final List<Task> tasks = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private long nowNanos = 1_000_000_000L;

    boolean hasTask() {
        return tasks.stream().anyMatch(task -> !task.cancelled);
    }

    /** Cancelling is best effort: a task that was just starting still runs. */
    boolean hasCancelledTask() {
        return tasks.stream().anyMatch(task -> task.cancelled);
    }

    int liveTasks() {
        return (int) tasks.stream().filter(task -> !task.cancelled).count();
    }

    void runNext() {
        Task next = tasks.stream()
                .filter(task -> !task.cancelled)
                .min(Comparator.comparingLong(task -> task.dueNanos))
                .orElseThrow();
        tasks.remove(next);
        nowNanos = Math.max(nowNanos, next.dueNanos);
        next.code.run();
    }

    void runCancelled() {
        Task next = tasks.stream().filter(task -> task.cancelled).findFirst().orElseThrow();
        tasks.remove(next);
        next.code.run();
    }

    void jump(long nanos) {
        nowNanos += nanos;
    }

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public long wallMicros() {
        return nowNanos / 1000;
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable code) {
        Task task = new Task(nowNanos + delayNanos, code);
        tasks.add(task);
        return task;
    }

    @Override
    public Executor blocking() {
        return Runnable::run;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }
}
