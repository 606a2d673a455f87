package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.benchmarks.etcd.EtcdWorkloads;
import dev.holdfast.benchmarks.jdbc.JdbcWorkloads;
import dev.holdfast.benchmarks.sidebyside.Quorum.Trouble;
import dev.holdfast.benchmarks.zookeeper.ZooKeeperWorkloads;
import java.util.ArrayList;
import java.util.List;

/** All of them, in the order in which they run. */
final class Workloads {
    private static final List<Peer> GROWING = List.of(Peers.HOLDFAST, Peers.FLOOR);

    private Workloads() {}

    static List<Workload> on(Servers one) {
        List<Workload> all = new ArrayList<>(onRedis(one));
        all.addAll(JdbcWorkloads.all());
        all.addAll(ZooKeeperWorkloads.all());
        all.addAll(EtcdWorkloads.all());
        return all;
    }

    private static List<Workload> onRedis(Servers one) {
        // Many threads before one: what a single thread does in a short round is too little to have code compiled.
        return List.of(
                Threads.named("uncontended-32", "Uncontended, 32 threads")
                        .clients(1, 32)
                        .on(one),
                new InFlight(one, List.of(Peers.HOLDFAST, Peers.FLOOR, Peers.SCRIPTS_ALONE, Peers.RLOCK)),
                Threads.named("uncontended-1", "Uncontended, 1 thread")
                        .headline(Metric.CYCLE_P50)
                        .on(one),
                hot("hot-4x4", "One hot name, 4 clients × 4 threads, held for no time", 0)
                        .on(one),
                hot("hot-4x4-1ms", "One hot name, 4 clients × 4 threads, held for 1 ms", 1_000_000)
                        .on(one),
                Processes.hot(one),
                Threads.named("zipf", "64 names, some wanted more than others, 4 clients × 16 threads")
                        .clients(4, 16)
                        .names(Names::zipf)
                        .on(one),
                Processes.handOver(one),
                permits("permits-8", "8 permits, 4 clients × 16 threads, held for no time", 0)
                        .on(one),
                permits("permits-8-10ms", "8 permits, 4 clients × 16 threads, held for 10 ms", 10_000_000)
                        .permits(Sharing.PERMITS)
                        .headline(Metric.PERMITS_IN_USE)
                        .on(one),
                Threads.named("readers-95", "95 % readers, 4 clients × 16 threads, held for 1 ms")
                        .peers(Sharing.READER_PEERS)
                        .clients(4, 16)
                        .names(Sharing::mostlyReads)
                        .holdNanos(1_000_000)
                        .on(one),
                growth(1, one),
                growth(4, one),
                growth(16, one),
                growth(64, one),
                new Held(10_000, one),
                new Held(100_000, one),
                Quorum.busy(),
                Quorum.uncontended(Trouble.NONE),
                Quorum.uncontended(Trouble.ONE_HANGS),
                Quorum.uncontended(Trouble.TWO_KILLED),
                Quorum.hot());
    }

    private static Threads.Builder hot(String name, String title, long holdNanos) {
        return Threads.named(name, title).clients(4, 4).names(Names::hot).holdNanos(holdNanos);
    }

    private static Threads.Builder permits(String name, String title, long holdNanos) {
        return Threads.named(name, title)
                .peers(Sharing.PERMIT_PEERS)
                .clients(4, 16)
                .names(Names::hot)
                .holdNanos(holdNanos);
    }

    private static Workload growth(int clients, Servers one) {
        return Threads.named("growth-" + clients, "One hot name, " + clients + " clients with one thread each")
                .peers(GROWING)
                .clients(clients, 1)
                .names(Names::hot)
                .headline(Metric.COMMANDS)
                .on(one);
    }
}
