package dev.holdfast.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/** Somebody else with all rights at the same servers, who does to the nodes of a lock what no client of ours does. */
final class Neighbour implements AutoCloseable {
    private static final byte[] SCRIBBLE = "mine now".getBytes(StandardCharsets.UTF_8);

    private final CuratorFramework curator;
    private final Paths paths;

    Neighbour(String address) {
        this(address, Paths.below("/holdfast"));
    }

    Neighbour(String address, Paths paths) {
        this.paths = paths;
        curator = CuratorFrameworkFactory.builder()
                .connectString(address)
                .sessionTimeoutMs(30_000)
                .retryPolicy(new RetryOneTime(200))
                .build();
        curator.start();
    }

    CuratorFramework curator() {
        return curator;
    }

    /** The claims for a name, the first in the queue first. */
    List<String> claims(String name) throws Exception {
        try {
            return QueuedClaim.inOrder(curator.getChildren().forPath(paths.lock(name))).stream()
                    .map(queued -> paths.lock(name) + "/" + queued.child())
                    .toList();
        } catch (KeeperException.NoNodeException nobody) {
            return List.of();
        }
    }

    /** The nodes of the slots of a semaphore that are taken. */
    List<String> slots(String key) throws Exception {
        try {
            return curator.getChildren().forPath(paths.slots(key)).stream()
                    .map(child -> paths.slots(key) + "/" + child)
                    .toList();
        } catch (KeeperException.NoNodeException nobody) {
            return List.of();
        }
    }

    void rewrite(String path) throws Exception {
        try {
            curator.setData().forPath(path, SCRIBBLE);
        } catch (KeeperException.NoNodeException gone) {
            return;
        }
    }

    void delete(String path) throws Exception {
        try {
            curator.delete().forPath(path);
        } catch (KeeperException.NoNodeException gone) {
            return;
        }
    }

    /** Puts a node of its own where the claim was, in one transaction. False: the claim was gone. */
    boolean replace(String path) throws Exception {
        try {
            curator.transaction()
                    .forOperations(
                            curator.transactionOp().delete().forPath(path),
                            curator.transactionOp().create().forPath(path, SCRIBBLE));
            return true;
        } catch (KeeperException.NoNodeException gone) {
            return false;
        }
    }

    /** A claim that nobody made, with this number. */
    String forge(String name, int sequence) throws Exception {
        return forge(name, sequence, new String(SCRIBBLE, StandardCharsets.UTF_8));
    }

    /** The same, which says that of itself. */
    String forge(String name, int sequence, String data) throws Exception {
        String path = paths.lock(name) + "/" + "A".repeat(22) + "-" + "%010d".formatted(sequence);
        // The server removes nodes of names that nobody uses.
        return curator.create()
                .creatingParentContainersIfNeeded()
                .withMode(CreateMode.PERSISTENT)
                .forPath(path, data.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        curator.close();
    }
}
