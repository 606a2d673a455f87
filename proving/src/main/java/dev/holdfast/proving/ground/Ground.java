package dev.holdfast.proving.ground;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.machine.ClusterServers;
import dev.holdfast.proving.machine.DiskLauncher;
import dev.holdfast.proving.machine.EtcdServer;
import dev.holdfast.proving.machine.Network;
import dev.holdfast.proving.machine.PostgresServer;
import dev.holdfast.proving.machine.RedisServers;
import dev.holdfast.proving.machine.Resource;
import dev.holdfast.proving.machine.SentinelServers;
import dev.holdfast.proving.machine.StoreServers;
import dev.holdfast.proving.machine.ZooKeeperServer;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.StoreSetUp;
import dev.holdfast.proving.subject.Subject;
import dev.holdfast.proving.subject.Target;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The servers of one store, the network, the resource, and the clients of all subjects on that store. For one thread at a time. */
public final class Ground implements AutoCloseable {
    private static final int QUORUM = 5;

    private final Store store;
    private final Duration lease;
    private final Network network = new Network();
    private final Resource resource = new Resource();
    private final StoreServers servers;
    private final List<Contestant> contestants = new ArrayList<>();

    /** Starts servers and clients. Blocks for some seconds. */
    public Ground(Machine machine, DiskLauncher disks, Store store, List<Subject> subjects, Duration lease)
            throws IOException, InterruptedException, SQLException {
        this.store = store;
        this.lease = lease;
        servers = servers(machine, disks, store);
        try {
            StoreSetUp.prepare(store, new Target(servers.ports(), lease));
            for (Subject subject : subjects) {
                contestants.add(new Contestant(machine, this, subject));
            }
            for (Contestant contestant : contestants) {
                contestant.awaitReady();
            }
        } catch (IOException | InterruptedException | SQLException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static StoreServers servers(Machine machine, DiskLauncher disks, Store store)
            throws IOException, InterruptedException {
        return switch (store) {
            case REDIS -> new RedisServers(machine, "redis", 1);
            case SENTINEL -> SentinelServers.start();
            case CLUSTER -> ClusterServers.start();
            case QUORUM -> new RedisServers(machine, "quorum", QUORUM);
            case POSTGRES -> new PostgresServer(machine, disks);
            case ZOOKEEPER -> new ZooKeeperServer(machine, disks);
            case ETCD -> new EtcdServer(machine, disks);
        };
    }

    public Store store() {
        return store;
    }

    public Duration lease() {
        return lease;
    }

    public StoreServers servers() {
        return servers;
    }

    Network network() {
        return network;
    }

    Resource resource() {
        return resource;
    }

    public List<Contestant> contestants() {
        return List.copyOf(contestants);
    }

    @Override
    public void close() throws IOException {
        for (Contestant contestant : contestants) {
            contestant.close();
        }
        network.close();
        resource.close();
        servers.close();
    }
}
