package dev.holdfast.redis.testing;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real Redis Cluster: three masters with a replica each, in processes of their own. */
public final class RedisCluster implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
    /** So that no server is taken for dead which a busy machine keeps from answering. */
    private static final String CALM_MILLIS = "60000";
    /** While servers get to know each other, and while a failover is wanted. */
    private static final String ALERT_MILLIS = "2000";

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisCluster(int replicas, String... settings) {
        for (int i = 0; i < MASTERS * (1 + replicas); i++) {
            servers.add(node(settings));
        }
    }

    private static RedisServer node(String... more) {
        List<String> settings =
                new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", ALERT_MILLIS));
        // Else a new replica waits for others to come, and is no candidate for so long.
        settings.addAll(List.of("--repl-diskless-sync-delay", "0"));
        settings.addAll(List.of(more));
        return RedisServer.embedded(settings.toArray(String[]::new));
    }

    /** Three masters, a replica each. */
    public static RedisCluster withReplicas(String... settings) {
        return new RedisCluster(1, settings);
    }

    /** Three masters. */
    public static RedisCluster withoutReplicas(String... settings) {
        return new RedisCluster(0, settings);
    }

    public RedisCluster start() {
        servers.parallelStream().forEach(RedisServer::start);
        for (int i = 0; i < servers.size(); i++) {
            // As tools do it: else servers with one and the same epoch quarrel over slots that move.
            servers.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
        }
        for (RedisServer server : servers.subList(1, servers.size())) {
            meet(server);
        }
        await("everybody knows everybody", () -> servers.stream().allMatch(each -> known(each) == servers.size()));
        for (int i = 0; i < MASTERS; i++) {
            int first = i * SLOTS / MASTERS;
            int last = (i + 1) * SLOTS / MASTERS - 1;
            servers.get(i).call("CLUSTER", "ADDSLOTSRANGE", "" + first, "" + last);
        }
        for (int i = MASTERS; i < servers.size(); i++) {
            RedisServer replica = servers.get(i);
            String master = id(servers.get(i % MASTERS));
            await("the master is known", () -> replica.text("CLUSTER", "NODES").contains(master));
            replica.call("CLUSTER", "REPLICATE", master);
        }
        awaitWhole();
        await(
                "everybody knows the replicas",
                () -> servers.stream().allMatch(each -> replicasKnownTo(each) == servers.size() - MASTERS));
        calm();
        return this;
    }

    /** From here on nobody is taken for dead who only is slow, until a failover is wanted. */
    void calm() {
        takeForDeadAfter(CALM_MILLIS);
    }

    private void takeForDeadAfter(String millis) {
        alive().forEach(each -> each.call("CONFIG", "SET", "cluster-node-timeout", millis));
    }

    private static int replicasKnownTo(RedisServer server) {
        int replicas = 0;
        for (Object range : (List<?>) server.call("CLUSTER", "SLOTS")) {
            replicas += ((List<?>) range).size() - 3;
        }
        return replicas;
    }

    /** All slots are served, and every replica follows its master. */
    public void awaitWhole() {
        List<RedisServer> alive = alive();
        await(
                "all slots are served",
                () -> alive.stream()
                        .allMatch(each -> each.text("CLUSTER", "INFO").contains("cluster_state:ok")));
        await(
                "replicas follow",
                () -> alive.stream()
                        .map(each -> each.text("INFO", "replication"))
                        .filter(info -> info.contains("role:slave"))
                        .allMatch(info -> info.contains("master_link_status:up")));
    }

    private void meet(RedisServer server) {
        servers.get(0).call("CLUSTER", "MEET", "127.0.0.1", "" + server.port());
    }

    private static long known(RedisServer server) {
        return server.text("CLUSTER", "NODES")
                .lines()
                .filter(line -> !line.contains("handshake"))
                .count();
    }

    public static String id(RedisServer server) {
        return server.text("CLUSTER", "MYID");
    }

    /** Another master, without slots. */
    public RedisServer add(String... settings) {
        RedisServer added = node(settings).start();
        servers.add(added);
        meet(added);
        await("everybody knows it", () -> alive().stream().allMatch(each -> known(each) == servers.size()));
        awaitWhole();
        calm();
        return added;
    }

    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    public List<RedisServer> alive() {
        return servers.stream().filter(RedisServer::isAnswering).toList();
    }

    /** The masters that have slots, as those who are alive see it. */
    public List<RedisServer> masters() {
        return alive().stream()
                .filter(each -> each.text("INFO", "replication").contains("role:master"))
                .toList();
    }

    /** Who has this slot, once all that are alive agree. */
    public RedisServer masterOf(int slot) {
        List<RedisServer> alive = alive();
        long[] port = new long[1];
        await("all agree who has slot " + slot, () -> {
            List<Long> views =
                    alive.stream().map(each -> portOf(slot, each)).distinct().toList();
            port[0] = views.get(0);
            return views.size() == 1 && port[0] != 0;
        });
        return servers.stream()
                .filter(each -> each.port() == port[0])
                .findFirst()
                .orElseThrow();
    }

    /** Zero if it thinks that nobody has it. */
    private static long portOf(int slot, RedisServer asked) {
        for (Object range : (List<?>) asked.call("CLUSTER", "SLOTS")) {
            List<?> fields = (List<?>) range;
            if ((Long) fields.get(0) <= slot && slot <= (Long) fields.get(1)) {
                return (Long) ((List<?>) fields.get(2)).get(1);
            }
        }
        return 0;
    }

    /** The replica of that master. */
    public RedisServer replicaOf(RedisServer master) {
        String id = id(master);
        return alive().stream()
                .filter(each -> each.text("CLUSTER", "NODES")
                        .lines()
                        .anyMatch(line -> line.contains("myself,slave") && line.contains(id)))
                .findFirst()
                .orElseThrow();
    }

    /** Until everybody knows of the last change of the configuration. */
    public void awaitOneEpoch() {
        await(
                "all know the same epoch",
                () -> alive().stream()
                                .map(each -> each.text("CLUSTER", "INFO")
                                        .replaceAll("(?s).*cluster_current_epoch:(\\d+).*", "$1"))
                                .distinct()
                                .count()
                        == 1);
    }

    /** Until another server has this slot than that one. */
    public void awaitFailover(int slot, RedisServer former) {
        List<RedisServer> alive = alive();
        takeForDeadAfter(ALERT_MILLIS);
        await(
                "a replica has taken over",
                () -> alive.stream()
                                .allMatch(each -> each.text("CLUSTER", "INFO").contains("cluster_state:ok"))
                        && masterOf(slot) != former);
        calm();
    }

    /** Moves a slot with all its keys, as tools do it. */
    public void move(int slot, RedisServer from, RedisServer to) {
        begin(slot, from, to);
        while (true) {
            List<?> keys = (List<?>) from.call("CLUSTER", "GETKEYSINSLOT", "" + slot, "100");
            if (keys == null || keys.isEmpty()) {
                break;
            }
            migrate(from, to, keys.stream().map(String::valueOf).toList());
        }
        finish(slot, to);
    }

    public void begin(int slot, RedisServer from, RedisServer to) {
        to.call("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(from));
        from.call("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(to));
    }

    public static void migrate(RedisServer from, RedisServer to, List<String> keys) {
        List<String> command =
                new ArrayList<>(List.of("MIGRATE", "127.0.0.1", "" + to.port(), "", "0", "60000", "KEYS"));
        command.addAll(keys);
        from.call(command.toArray(String[]::new));
    }

    /** First where the slot is, so that it always has an owner. */
    public void finish(int slot, RedisServer to) {
        to.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
        for (RedisServer master : masters()) {
            master.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
        }
    }

    /** Moves what is left of a slot, and gives it to its new server. */
    public void finishMove(int slot, RedisServer from, RedisServer to) {
        List<?> keys = (List<?>) from.call("CLUSTER", "GETKEYSINSLOT", "" + slot, "100");
        if (keys != null && !keys.isEmpty()) {
            migrate(from, to, keys.stream().map(String::valueOf).toList());
        }
        finish(slot, to);
    }

    /** Takes a server out that has no slot. */
    public void forget(RedisServer server) {
        String id = id(server);
        servers.remove(server);
        server.close();
        servers.forEach(each -> each.call("CLUSTER", "FORGET", id));
    }

    /** Some of its servers. */
    public String url() {
        return servers.subList(0, 2).stream()
                .map(RedisServer::name)
                .collect(Collectors.joining(",", "redis+cluster://", ""));
    }

    /** Waits for something that has to happen. */
    public static void await(String what, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        UncheckedIOException last = null;
        try {
            while (true) {
                try {
                    if (condition.call()) {
                        return;
                    }
                } catch (UncheckedIOException cutOff) {
                    // Whoever turns a server into a master or a replica hangs up on everybody who is connected to it.
                    last = cutOff;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("It did not happen: " + what, last);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(what, e);
        }
    }

    @Override
    public void close() {
        servers.parallelStream().forEach(RedisServer::close);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }
}
