package dev.holdfast.benchmarks.etcd;

import dev.holdfast.benchmarks.Contender;
import dev.holdfast.benchmarks.sidebyside.OnStore;
import dev.holdfast.benchmarks.sidebyside.Peer;
import dev.holdfast.benchmarks.sidebyside.Workload;
import java.util.List;

/** What {@code ./bench} measures on etcd: one server in a process of its own, whose commits wait for the disk. */
public final class EtcdWorkloads {
    private static final Peer OURS =
            Contender.peer("Holdfast on etcd", "EtcdBackend, all defaults", HoldfastContender::new);
    private static final Peer JETCD =
            Contender.peer("jetcd Lock", "a lease for each thread, kept alive, all defaults", JetcdContender::new);
    private static final Peer BARE = Contender.peer(
            "bare transactions", "create the key if absent, delete it; the same transport", BareContender::new);

    private EtcdWorkloads() {}

    /** All of them; none if ./bench has found no etcd. */
    public static List<Workload> all() {
        if (System.getProperty("holdfast.etcd", "").isEmpty()) {
            return List.of();
        }
        List<Peer> three = List.of(OURS, JETCD, BARE);
        return List.of(
                OnStore.uncontended("etcd-32", "etcd, one server", 32, EtcdServer::new, three),
                OnStore.uncontended("etcd-1", "etcd, one server", 1, EtcdServer::new, three),
                OnStore.hot("etcd-hot", "etcd, one server", EtcdServer::new, List.of(OURS, JETCD)));
    }
}
