package dev.holdfast.benchmarks.jdbc;

import dev.holdfast.benchmarks.Contender;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/**
 * Locks in one PostgreSQL, side by side in one run: how many uncontended acquisitions a second, how long a hand-over to a
 * waiter takes, how many statements a contended acquisition costs. They take turns, and only neighbours in time are
 * compared: the machine may be in use by others.
 */
public final class JdbcComparison {
    private static final int ROUNDS = 7;
    private static final int THREADS = 4;
    private static final int CLIENTS = 4;
    private static final double ROUND_SECONDS = 1.5;
    private static final int HAND_OVERS = 60;

    private JdbcComparison() {}

    public static void main(String[] arguments) throws Exception {
        try (Server server = new Server(false)) {
            print("Commits do not wait for the disk:");
            uncontended(server, 1);
            uncontended(server, THREADS);
            handOver(server, HoldfastContender::new);
            handOver(server, SpringContender::new);
            contended(server, HoldfastContender::new);
            contended(server, SpringContender::new);
        }
        try (Server server = new Server(true)) {
            print("Commits wait for the disk:");
            uncontended(server, 1);
            uncontended(server, THREADS);
        }
    }

    /** Each thread has names of its own. */
    private static void uncontended(Server server, int threads) throws Exception {
        List<Contender> all = List.of(
                new HoldfastContender(server.pool()),
                new SpringContender(server.pool()),
                new ShedLockContender(server.pool()));
        double[][] rates = new double[all.size()][ROUNDS];
        double[][] ratios = new double[all.size()][ROUNDS];
        // The first round warms up, and is overwritten.
        for (int round = -1; round < ROUNDS; round++) {
            for (int i = 0; i < all.size(); i++) {
                rates[i][Math.max(0, round)] = rate(all.get(i), threads);
                ratios[i][Math.max(0, round)] = rates[0][Math.max(0, round)] / rates[i][Math.max(0, round)];
            }
        }
        for (int i = 0; i < all.size(); i++) {
            print(
                    "  uncontended, %d threads: %-24s %7.0f acquire+release/s; Holdfast is %.2f times as fast",
                    threads, all.get(i).name(), median(rates[i]), median(ratios[i]));
        }
        all.forEach(Contender::close);
    }

    private static double rate(Contender contender, int threads) throws Exception {
        long until = System.nanoTime() + (long) (ROUND_SECONDS * 1e9);
        long done = together(threads, thread -> () -> {
            long count = 0;
            for (; System.nanoTime() < until; count++) {
                contender.lock("own-" + thread + "-" + count % 50).run();
            }
            return count;
        });
        return done / ROUND_SECONDS;
    }

    /** One process holds for a while, another waits. From the release to the waiter's return. */
    private static void handOver(Server server, Function<DataSource, Contender> maker) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        double[] millis = new double[HAND_OVERS];
        try (Contender holder = maker.apply(server.pool());
                Contender waiter = maker.apply(server.pool())) {
            for (int i = -5; i < HAND_OVERS; i++) {
                millis[Math.max(0, i)] = handOver(holder, waiter, threads);
            }
            print(
                    "  hand-over to a waiter: %-24s median %5.1f ms, nine of ten within %5.1f ms",
                    holder.name(), median(millis), quantile(millis, 0.9));
        }
        threads.shutdown();
    }

    private static double handOver(Contender holder, Contender waiter, ExecutorService threads) throws Exception {
        Runnable held = holder.lock("handed");
        CountDownLatch asking = new CountDownLatch(1);
        Future<Long> served = threads.submit(() -> {
            asking.countDown();
            Runnable release = waiter.lock("handed");
            long now = System.nanoTime();
            release.run();
            return now;
        });
        asking.await();
        // Long enough to be waiting, and not a multiple of anybody's poll interval.
        TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextInt(100_000, 300_000));
        long released = System.nanoTime();
        held.run();
        return (served.get() - released) / 1e6;
    }

    /** Several processes with several threads want one name. */
    private static void contended(Server server, Function<DataSource, Contender> maker) throws Exception {
        List<Contender> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(maker.apply(server.pool()));
        }
        Statements statements = new Statements(server.pool());
        statements.reset();
        double seconds = 4 * ROUND_SECONDS;
        long until = System.nanoTime() + (long) (seconds * 1e9);
        AtomicLongArray each = new AtomicLongArray(CLIENTS);
        long acquired = together(CLIENTS * THREADS, thread -> () -> {
            long count = 0;
            for (; System.nanoTime() < until; count++) {
                clients.get(thread % CLIENTS).lock("wanted").run();
            }
            each.addAndGet(thread % CLIENTS, count);
            return count;
        });
        print(
                "  contended, %d clients x %d threads: %-24s %7.0f acquisitions/s, %.1f statements each, by client %s",
                CLIENTS,
                THREADS,
                clients.get(0).name(),
                acquired / seconds,
                (double) statements.count() / acquired,
                each);
        clients.forEach(Contender::close);
    }

    private static long together(int count, IntFunction<Callable<Long>> tasks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        List<Future<Long>> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            results.add(threads.submit(tasks.apply(i)));
        }
        long sum = 0;
        for (Future<Long> each : results) {
            sum += each.get();
        }
        threads.shutdown();
        return sum;
    }

    private static double median(double[] values) {
        return quantile(values, 0.5);
    }

    private static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) (sorted.length * share)];
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
