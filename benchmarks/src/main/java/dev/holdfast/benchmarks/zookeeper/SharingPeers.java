package dev.holdfast.benchmarks.zookeeper;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.benchmarks.sidebyside.Peer;
import dev.holdfast.benchmarks.sidebyside.Sharing;
import dev.holdfast.benchmarks.sidebyside.SharingClient;
import dev.holdfast.benchmarks.sidebyside.SharingPeer;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Permits, read-write locks and leaders in ZooKeeper. */
final class SharingPeers {
    static final List<Peer> PERMITS = List.of(
            new SharingPeer(
                    "Holdfast semaphore on ZooKeeper",
                    "ZooKeeperBackend, all defaults",
                    urls -> Sharing.permits(holdfast(urls))),
            new SharingPeer(
                    "Curator InterProcessSemaphoreV2",
                    "one object per semaphore and process, all defaults",
                    urls -> permits(curator(urls))));
    static final List<Peer> READERS = List.of(
            new SharingPeer(
                    "Holdfast read-write lock on ZooKeeper",
                    "ZooKeeperBackend, all defaults",
                    urls -> Sharing.readersAndWriters(holdfast(urls))),
            new SharingPeer(
                    "Curator InterProcessReadWriteLock",
                    "one object per lock and process, all defaults",
                    urls -> readersAndWriters(curator(urls))));
    static final List<Peer> LEADERS = List.of(
            new SharingPeer(
                    "Holdfast election on ZooKeeper",
                    "ZooKeeperBackend, all defaults, Candidacy.close()",
                    urls -> leaders(holdfast(urls))),
            new SharingPeer(
                    "Curator LeaderSelector", "all defaults, LeaderSelector.close()", urls -> leaders(curator(urls))));

    private SharingPeers() {}

    private static Holdfast holdfast(List<String> urls) {
        return Holdfast.over(ZooKeeperBackend.builder(urls.get(0))
                .tickTime(Duration.ofMillis(Servers.TICK_MILLIS))
                .connect());
    }

    private static CuratorFramework curator(List<String> urls) {
        CuratorFramework framework =
                CuratorFrameworkFactory.newClient(urls.get(0), 30_000, 15_000, new ExponentialBackoffRetry(1000, 3));
        framework.start();
        return framework;
    }

    private static Peer.Client permits(CuratorFramework framework) {
        ConcurrentHashMap<String, InterProcessSemaphoreV2> semaphores = new ConcurrentHashMap<>();
        return new SharingClient(
                name -> {
                    InterProcessSemaphoreV2 semaphore = semaphores.computeIfAbsent(
                            name, each -> new InterProcessSemaphoreV2(framework, "/permits/" + each, Sharing.PERMITS));
                    var permit = semaphore.acquire();
                    return () -> semaphore.returnLease(permit);
                },
                framework::close);
    }

    private static Peer.Client readersAndWriters(CuratorFramework framework) {
        InterProcessReadWriteLock lock = new InterProcessReadWriteLock(framework, "/shared");
        return new SharingClient(
                name -> {
                    InterProcessMutex wanted = name.equals(Sharing.WRITE) ? lock.writeLock() : lock.readLock();
                    wanted.acquire();
                    return wanted::release;
                },
                framework::close);
    }

    private static Peer.Client leaders(Holdfast holdfast) {
        return new SharingClient(
                name -> {
                    CountDownLatch leads = new CountDownLatch(1);
                    Candidacy candidacy = holdfast.election(name).start(lease -> {
                        leads.countDown();
                        new CountDownLatch(1).await();
                    });
                    leads.await();
                    return candidacy::close;
                },
                holdfast::close);
    }

    private static Peer.Client leaders(CuratorFramework framework) {
        return new SharingClient(
                name -> {
                    CountDownLatch leads = new CountDownLatch(1);
                    LeaderSelector selector =
                            new LeaderSelector(framework, "/leaders/" + name, new LeaderSelectorListenerAdapter() {
                                @Override
                                public void takeLeadership(CuratorFramework client) throws InterruptedException {
                                    leads.countDown();
                                    new CountDownLatch(1).await();
                                }
                            });
                    selector.start();
                    leads.await();
                    return selector::close;
                },
                framework::close);
    }
}
