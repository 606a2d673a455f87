package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.spi.LockBackend;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A program: what an uncontended lock gains if a caller without a limit runs its statement on its own thread, beside the
 * same backend with workers. They take turns, and neighbours in time are compared.
 *
 * <p>Run it with the class path of the tests. Arguments: how many threads (1), how many rounds (40). The database does not wait for the disk, whose
 * mood would hide the difference.
 */
final class LentThreads {
    private static final int WARM_UP = 10;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** @param cpuMicros of this process, for each acquisition and release */
    private record Round(double perSecond, double cpuMicros) {}

    private LentThreads() {}

    public static void main(String[] arguments) throws Exception {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 40;
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .start();
                HikariDataSource pool = Databases.pool(server.getJdbcUrl("postgres", "postgres"), 8)) {
            JdbcBackend.createTables(pool);
            try (Holdfast lent = Holdfast.over(JdbcBackend.over(pool).connect());
                    Holdfast workers =
                            Holdfast.over(notLending(JdbcBackend.over(pool).connect()))) {
                compare(lent, workers, threads, rounds);
            }
        }
    }

    /** Core lends a thread only to backends that say that they block. */
    private static LockBackend notLending(LockBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(
                LentThreads.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (self, method, values) -> {
                    try {
                        return method.getName().equals("blocks") ? false : method.invoke(backend, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void compare(Holdfast lent, Holdfast workers, int threads, int rounds) throws Exception {
        List<Double> speed = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        List<Double> lentMicros = new ArrayList<>();
        List<Double> workerMicros = new ArrayList<>();
        for (int i = 0; i < WARM_UP + rounds; i++) {
            // Who comes first changes: what one leaves behind must not always fall on the other.
            Round first = round(i % 2 == 0 ? lent : workers, threads);
            Round second = round(i % 2 == 0 ? workers : lent, threads);
            Round with = i % 2 == 0 ? first : second;
            Round without = i % 2 == 0 ? second : first;
            if (i >= WARM_UP) {
                speed.add(with.perSecond() / without.perSecond());
                cpu.add(with.cpuMicros() / without.cpuMicros());
                lentMicros.add(with.cpuMicros());
                workerMicros.add(without.cpuMicros());
            }
        }
        System.out.printf(
                "%d threads: lent is %.2f times as fast, with %.2f times the CPU (%.0f and %.0f us; medians)%n",
                threads, median(speed), median(cpu), median(lentMicros), median(workerMicros));
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static Round round(Holdfast holdfast, int threads) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        long cpu = cpuNanos();
        long began = System.nanoTime();
        List<Future<Integer>> counts = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String name = "lent/" + i;
            counts.add(callers.submit(() -> {
                int count = 0;
                for (; System.nanoTime() - began < ROUND_NANOS; count++) {
                    holdfast.lock(name).acquire().close();
                }
                return count;
            }));
        }
        int all = 0;
        for (Future<Integer> each : counts) {
            all += each.get();
        }
        callers.shutdown();
        double seconds = (System.nanoTime() - began) / 1e9;
        return new Round(all / seconds, (cpuNanos() - cpu) / 1e3 / all);
    }
}
