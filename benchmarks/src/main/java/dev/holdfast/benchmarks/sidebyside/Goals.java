package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The speed that we set ourselves, and how far this run is from it. */
final class Goals {
    /**
     * One of them.
     *
     * @param atLeast whether more is better
     */
    private record Goal(String what, ToDoubleFunction<Results> figure, boolean atLeast, double bound) {}

    /** Of which this run knows. */
    record Verdict(String what, String wanted, double measured, boolean met) {}

    private static final String US = "Holdfast";
    private static final String ALONE = "Holdfast, cohort off";
    private static final String FLOOR = "floor";
    private static final String RLOCK = "Redisson RLock";
    private static final String QUORUM = "Holdfast, quorum";
    private static final String REDLOCK = "Redisson RedLock";

    private static final List<Goal> ALL = List.of(
            atLeast(0.75, "uncontended, 32 threads: throughput / the floor's", same("uncontended-32", US, FLOOR)),
            atLeast(2, "uncontended, 32 threads: throughput / Redisson RLock's", same("uncontended-32", US, RLOCK)),
            atMost(
                    1.25,
                    "uncontended, 1 thread: median of lock and unlock / the floor's",
                    results -> ratio(results, "uncontended-1", US, FLOOR, Metric.CYCLE_P50)),
            atLeast(
                    2,
                    "asynchronous, 256 in flight: throughput / the floor's with 32 threads",
                    results -> results.ratio("async-256", US, "uncontended-32", FLOOR, Metric.THROUGHPUT)
                            .median()),
            atLeast(15, "hot name, 4×4: throughput / Redisson RLock's", same("hot-4x4", US, RLOCK)),
            atLeast(4, "hot name, 4×4, cohort off: throughput / Redisson RLock's", same("hot-4x4", ALONE, RLOCK)),
            atMost(
                    0.2,
                    "hot name, 4×4: wait of the slowest 1 % / Redisson RLock's",
                    results -> ratio(results, "hot-4x4", US, RLOCK, Metric.WAIT_P99)),
            atMost(
                    1.2,
                    "hot name, 4×4: server commands per acquisition",
                    results -> results.median("hot-4x4", US, Metric.COMMANDS)),
            atMost(
                    1.2,
                    "hot name, 4×4: most acquisitions per client / least",
                    results -> results.median("hot-4x4", US, Metric.FAIRNESS)),
            atMost(
                    0.7,
                    "hand-over between two processes: median / Redisson RLock's",
                    results -> ratio(results, "hand-over", US, RLOCK, Metric.WAIT_P50)),
            atLeast(
                    5,
                    "8 permits, 4×16: throughput / Redisson RPermitExpirableSemaphore's",
                    same("permits-8", Sharing.OUR_PERMITS, Sharing.REDISSON_PERMITS)),
            atLeast(
                    0.95,
                    "8 permits, 4×16, held for 10 ms: permits in use / permits",
                    results -> results.median("permits-8-10ms", Sharing.OUR_PERMITS, Metric.PERMITS_IN_USE)),
            atLeast(
                    5,
                    "ZooKeeper, 8 permits, 4×16: throughput / Curator InterProcessSemaphoreV2's",
                    same("zookeeper-permits-8", "Holdfast semaphore on ZooKeeper", "Curator InterProcessSemaphoreV2")),
            atMost(
                    400,
                    "100 000 leases held: bytes of live heap each",
                    results -> results.median("held-100000", US, Metric.HEAP)),
            atMost(
                    6_000,
                    "100 000 leases held: renewal requests per minute (one per 100 leases and period)",
                    results -> results.median("held-100000", US, Metric.RENEWAL_REQUESTS)),
            atMost(
                    8,
                    "100 000 leases held: threads started",
                    results -> results.median("held-100000", US, Metric.THREADS)),
            atMost(
                    1.05,
                    "64 waiting clients: commands per acquisition / those with 4",
                    results -> results.ratio("growth-64", US, "growth-4", US, Metric.COMMANDS)
                            .median()),
            atLeast(
                    5,
                    "five servers, uncontended, 32 threads: throughput / Redisson RedLock's",
                    same("quorum-32", QUORUM, REDLOCK)),
            atMost(
                    0.2,
                    "five servers, uncontended, 32 threads: median of lock and unlock / Redisson RedLock's",
                    results -> ratio(results, "quorum-32", QUORUM, REDLOCK, Metric.CYCLE_P50)),
            atMost(
                    2.5,
                    "five servers, uncontended, 32 threads: median of lock and unlock / one server's",
                    results -> ratio(results, "quorum-32", QUORUM, US, Metric.CYCLE_P50)),
            atLeast(
                    2.0 / 3,
                    "five servers, uncontended, 32 threads: votes of all servers / acquisitions of one server alone",
                    results -> 5 * ratio(results, "quorum-32", QUORUM, US, Metric.THROUGHPUT)),
            atLeast(
                    5,
                    "five servers, uncontended, 1 thread: throughput / Redisson RedLock's",
                    same("quorum", QUORUM, REDLOCK)),
            atMost(
                    0.2,
                    "five servers, uncontended, 1 thread: median of lock and unlock / Redisson RedLock's",
                    results -> ratio(results, "quorum", QUORUM, REDLOCK, Metric.CYCLE_P50)),
            atMost(
                    2.5,
                    "five servers, uncontended, 1 thread: median of lock and unlock / one server's",
                    results -> ratio(results, "quorum", QUORUM, US, Metric.CYCLE_P50)),
            atLeast(
                    10,
                    "five servers, hot name, 4×4: throughput / Redisson RedLock's",
                    same("quorum-hot", QUORUM, REDLOCK)),
            atLeast(
                    1.5,
                    "PostgreSQL, uncontended, 4 threads: throughput / Spring JdbcLockRegistry's",
                    same("jdbc-4", "Holdfast on PostgreSQL", "Spring JdbcLockRegistry")),
            atLeast(
                    1,
                    "ZooKeeper, uncontended, 4 threads: throughput / Curator InterProcessMutex's",
                    same("zookeeper-4", "Holdfast on ZooKeeper", "Curator InterProcessMutex")),
            atLeast(
                    5,
                    "ZooKeeper, hot name, 4×4: throughput / Curator InterProcessMutex's",
                    same("zookeeper-hot", "Holdfast on ZooKeeper", "Curator InterProcessMutex")),
            atLeast(
                    1.5,
                    "etcd, uncontended, 32 threads: throughput / jetcd Lock's",
                    same("etcd-32", "Holdfast on etcd", "jetcd Lock")),
            atMost(
                    1.3,
                    "etcd, uncontended, 1 thread: median of lock and unlock / bare transactions'",
                    results -> ratio(results, "etcd-1", "Holdfast on etcd", "bare transactions", Metric.CYCLE_P50)),
            atLeast(
                    5,
                    "etcd, hot name, 4×4: throughput / jetcd Lock's",
                    same("etcd-hot", "Holdfast on etcd", "jetcd Lock")));

    private Goals() {}

    /** Those whose workloads ran. */
    static List<Verdict> judge(Results results) {
        List<Verdict> verdicts = new ArrayList<>();
        for (Goal goal : ALL) {
            double measured = goal.figure().applyAsDouble(results);
            if (!Double.isNaN(measured)) {
                boolean met = goal.atLeast() ? measured >= goal.bound() : measured <= goal.bound();
                String wanted = (goal.atLeast() ? "≥ " : "≤ ") + Figures.of(goal.bound());
                verdicts.add(new Verdict(goal.what(), wanted, measured, met));
            }
        }
        return verdicts;
    }

    private static Goal atLeast(double bound, String what, ToDoubleFunction<Results> figure) {
        return new Goal(what, figure, true, bound);
    }

    private static Goal atMost(double bound, String what, ToDoubleFunction<Results> figure) {
        return new Goal(what, figure, false, bound);
    }

    private static ToDoubleFunction<Results> same(String workload, String system, String other) {
        return results -> ratio(results, workload, system, other, Metric.THROUGHPUT);
    }

    private static double ratio(Results results, String workload, String system, String other, Metric metric) {
        return results.ratio(workload, system, workload, other, metric).median();
    }
}
