package dev.holdfast.benchmarks.zookeeper;

import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.benchmarks.Contender;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Locks in ZooKeeper, side by side in one run with Curator's mutex: uncontended acquisitions a second, contended ones, and
 * how many requests each costs the servers. They take turns, and only neighbours in time are compared: the machine may be
 * in use by others.
 */
public final class ZooKeeperComparison {
    private static final int ROUNDS = 7;
    private static final int CLIENTS = 4;
    private static final int THREADS = 4;
    private static final double ROUND_SECONDS = 1.5;
    private static final OperatingSystemMXBean MACHINE =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ZooKeeperComparison() {}

    /**
     * What one round brought.
     *
     * @param cpuMicros of this process, servers and clients, for one acquisition: steadier than time where others work, too
     */
    private record Score(double rate, double requests, double cpuMicros) {}

    public static void main(String[] arguments) throws Exception {
        for (int servers : new int[] {1, 3}) {
            try (Servers running = new Servers(servers)) {
                print("%d server%s, whose commits do not wait for the disk:", servers, servers == 1 ? "" : "s");
                compare(running, "uncontended, 1 thread", 1, 1, true);
                compare(running, "uncontended, 4 threads", 1, THREADS, true);
                compare(running, "contended, 4 clients x 1 thread", CLIENTS, 1, false);
                compare(running, "contended, 4 clients x 4 threads", CLIENTS, THREADS, false);
            }
        }
        System.exit(0);
    }

    private static void compare(Servers servers, String what, int clients, int threads, boolean ownNames)
            throws Exception {
        List<List<Contender>> both =
                List.of(open(clients, servers, HoldfastContender::new), open(clients, servers, CuratorContender::new));
        Score[][] scores = new Score[2][ROUNDS];
        // The first round warms up, and is overwritten.
        for (int round = -1; round < ROUNDS; round++) {
            for (int i = 0; i < 2; i++) {
                scores[i][Math.max(0, round)] = measure(servers, both.get(i), threads, ownNames);
            }
        }
        double[] ratios = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            ratios[round] = scores[0][round].rate() / scores[1][round].rate();
        }
        for (int i = 0; i < 2; i++) {
            print(
                    "  %s: %-26s %7.0f acquire+release/s, %.2f requests and %.0f us of CPU each",
                    what,
                    both.get(i).get(0).name(),
                    median(Arrays.stream(scores[i]).mapToDouble(Score::rate).toArray()),
                    median(Arrays.stream(scores[i]).mapToDouble(Score::requests).toArray()),
                    median(Arrays.stream(scores[i])
                            .mapToDouble(Score::cpuMicros)
                            .toArray()));
        }
        print("  %s: Holdfast is %.2f times as fast (%s)", what, median(ratios), texts(ratios));
        both.forEach(each -> each.forEach(Contender::close));
    }

    private static List<Contender> open(int clients, Servers servers, Function<String, Contender> maker) {
        List<Contender> opened = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            opened.add(maker.apply(servers.address()));
        }
        return opened;
    }

    private static Score measure(Servers servers, List<Contender> clients, int threads, boolean ownNames)
            throws Exception {
        long before = servers.requests();
        long cpu = MACHINE.getProcessCpuTime();
        long until = System.nanoTime() + (long) (ROUND_SECONDS * 1e9);
        long began = System.nanoTime();
        long done = together(clients.size() * threads, thread -> () -> {
            Contender client = clients.get(thread % clients.size());
            long count = 0;
            for (; System.nanoTime() < until; count++) {
                client.lock(ownNames ? "own-" + thread + "-" + count % 50 : "wanted")
                        .run();
            }
            return count;
        });
        double seconds = (System.nanoTime() - began) / 1e9;
        double micros = (MACHINE.getProcessCpuTime() - cpu) / 1e3 / done;
        return new Score(done / seconds, (double) (servers.requests() - before) / done, micros);
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
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static String texts(double[] ratios) {
        List<String> texts = new ArrayList<>();
        for (double ratio : ratios) {
            texts.add(String.format(Locale.ROOT, "%.2f", ratio));
        }
        return String.join(" ", texts);
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
