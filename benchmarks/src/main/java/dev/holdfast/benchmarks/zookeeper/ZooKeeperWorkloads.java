package dev.holdfast.benchmarks.zookeeper;

import dev.holdfast.benchmarks.Contender;
import dev.holdfast.benchmarks.sidebyside.OnStore;
import dev.holdfast.benchmarks.sidebyside.Peer;
import dev.holdfast.benchmarks.sidebyside.Sharing;
import dev.holdfast.benchmarks.sidebyside.Succession;
import dev.holdfast.benchmarks.sidebyside.Workload;
import java.util.List;

/** What {@code ./bench} measures on ZooKeeper: servers in this process, whose commits do not wait for the disk. */
public final class ZooKeeperWorkloads {
    private static final List<Peer> BOTH = List.of(
            Contender.peer("Holdfast on ZooKeeper", "ZooKeeperBackend, all defaults", HoldfastContender::new),
            Contender.peer(
                    "Curator InterProcessMutex",
                    "one object per lock and process, all defaults",
                    CuratorContender::new));

    private ZooKeeperWorkloads() {}

    /** All of them. */
    public static List<Workload> all() {
        // A single client finds one of three servers by chance, and a leader is faster than a follower.
        return List.of(
                OnStore.uncontended("zookeeper-4", "ZooKeeper, one server", 4, () -> new Servers(1), BOTH),
                OnStore.hot("zookeeper-hot", "ZooKeeper, three servers", () -> new Servers(3), BOTH),
                OnStore.shared(
                        "zookeeper-permits-8",
                        "ZooKeeper, three servers, 8 permits, 4 clients × 16 threads",
                        OnStore::oneName,
                        () -> new Servers(3),
                        SharingPeers.PERMITS),
                OnStore.shared(
                        "zookeeper-readers-95",
                        "ZooKeeper, three servers, 95 % readers, 4 clients × 16 threads",
                        Sharing::mostlyReads,
                        () -> new Servers(3),
                        SharingPeers.READERS),
                new Succession(
                        "zookeeper-leader",
                        "ZooKeeper, three servers: from closing the leader to the next one",
                        () -> new Servers(3),
                        SharingPeers.LEADERS));
    }
}
