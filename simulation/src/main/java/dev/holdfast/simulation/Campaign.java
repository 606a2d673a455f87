package dev.holdfast.simulation;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Many seeds, on a few threads: each has a Lua of its own, and a world never leaves its thread. */
public final class Campaign {
    private static final int MOST_FAILURES = 5;

    /** What came out. */
    public record Result(
            long from,
            long worlds,
            long acquisitions,
            long faults,
            long scripts,
            long refused,
            long cutShort,
            double hours,
            double seconds,
            double cpuSeconds,
            List<String> failures) {
        @Override
        public String toString() {
            return String.format(
                            Locale.ROOT,
                            "%d seeds from %d in %.1f s (%.0f s of CPU): %.1f acquisitions, %.1f faults, %.0f scripts each; %.0f simulated"
                                    + " hours; %d stale writes refused; %d cut short; %d failures",
                            worlds,
                            from,
                            seconds,
                            cpuSeconds,
                            acquisitions / (double) worlds,
                            faults / (double) worlds,
                            scripts / (double) worlds,
                            hours,
                            refused,
                            cutShort,
                            failures.size())
                    + String.join("", failures.stream().map(each -> "\n" + each).toList());
        }
    }

    private final long from;
    private final long end;
    private final int step;
    private final int threads;
    private final AtomicLong next;
    // Guards the sums below.
    private final ReentrantLock lock = new ReentrantLock();
    private final List<String> failures = new ArrayList<>();
    private long worlds;
    private long acquisitions;
    private long faults;
    private long scripts;
    private long refused;
    private long cutShort;
    private double hours;
    private double cpuSeconds;

    public Campaign(long from, long count, int threads) {
        this(from, count, 1, threads);
    }

    /** Plays every {@code step}-th of them: the seeds of quorums divide by ten. */
    public Campaign(long from, long count, int step, int threads) {
        this.from = from;
        this.end = from + step * count;
        this.step = step;
        this.threads = threads;
        this.next = new AtomicLong(from);
    }

    /** The traces of many seeds as one number. */
    public static long hash(long from, long count) {
        long hash = 0;
        try (LuaMachine lua = new LuaMachine()) {
            for (long seed = from; seed < from + count; seed++) {
                hash = hash * 31
                        + new World(Plan.of(seed, true), lua, false).run().hash();
            }
        }
        return hash;
    }

    public Result run() {
        long started = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(this::work, "simulation-" + i);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        return new Result(
                from,
                worlds,
                acquisitions,
                faults,
                scripts,
                refused,
                cutShort,
                hours,
                seconds,
                cpuSeconds,
                List.copyOf(failures));
    }

    private void work() {
        try (LuaMachine lua = new LuaMachine()) {
            long seed;
            while ((seed = next.getAndAdd(step)) < end && failures.size() < MOST_FAILURES) {
                add(new World(Plan.of(seed, true), lua, false).run());
            }
            addCpu(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9);
        }
    }

    private void addCpu(double spent) {
        lock.lock();
        try {
            cpuSeconds += spent;
        } finally {
            lock.unlock();
        }
    }

    private void add(World.Outcome outcome) {
        lock.lock();
        try {
            worlds++;
            acquisitions += outcome.acquisitions();
            faults += outcome.faults();
            scripts += outcome.scripts();
            refused += outcome.refusedWrites();
            cutShort += outcome.cutShort() ? 1 : 0;
            hours += outcome.nanos() / 3.6e12;
            if (outcome.failure() != null) {
                failures.add("seed " + outcome.seed() + ": " + outcome.failure());
            }
        } finally {
            lock.unlock();
        }
    }
}
