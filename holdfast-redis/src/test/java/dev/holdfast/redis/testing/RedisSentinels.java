package dev.holdfast.redis.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A master, a replica and three sentinels that watch them, in processes of their own. */
public final class RedisSentinels implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    public static final String MASTER = "shop";

    /** So that no server is taken for dead which a busy machine keeps from answering. */
    private static final int CALM_MILLIS = 60_000;
    /** While a failover is wanted. */
    private static final int ALERT_MILLIS = 1_000;

    private final List<RedisServer> servers;
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels(String... settings) {
        RedisServer master = RedisServer.embedded(settings);
        List<String> more = new ArrayList<>(List.of(settings));
        more.addAll(List.of("--replicaof", "127.0.0.1 " + master.port()));
        servers = List.of(master, RedisServer.embedded(more.toArray(String[]::new)));
    }

    public static RedisSentinels trio(String... settings) {
        List<String> all = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
        all.addAll(List.of(settings));
        return new RedisSentinels(all.toArray(String[]::new));
    }

    public RedisSentinels start() {
        servers.forEach(RedisServer::start);
        RedisCluster.await(
                "the replica follows",
                () -> servers.get(1).text("INFO", "replication").contains("master_link_status:up")
                        && servers.get(0).text("INFO", "replication").contains("state=online"));
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisServer.sentinel(MASTER, servers.get(0).port(), CALM_MILLIS)
                    .start());
        }
        RedisCluster.await(
                "sentinels know each other and the replica",
                () -> sentinels.stream()
                        .map(each -> each.text("INFO", "sentinel"))
                        .allMatch(info -> info.contains("slaves=1") && info.contains("sentinels=3")));
        return this;
    }

    /** Whom the sentinels name, once all of them name the same. */
    public RedisServer master() {
        RedisCluster.await("the sentinels agree", () -> named().size() == 1);
        return server(named().iterator().next());
    }

    /** The other one. */
    public RedisServer replica() {
        RedisServer master = master();
        return servers.stream().filter(each -> each != master).findFirst().orElseThrow();
    }

    private RedisServer server(long port) {
        return servers.stream().filter(each -> each.port() == port).findFirst().orElseThrow();
    }

    /** The ports that the sentinels name: one has heard of a failover before another. A client may ask any of them. */
    private Set<Long> named() {
        return sentinels.stream()
                .filter(RedisServer::isRunning)
                .map(each -> (List<?>) each.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER))
                .map(address -> Long.parseLong(String.valueOf(address.get(1))))
                .collect(Collectors.toSet());
    }

    /** Until another server is the master, and says so itself, and every sentinel names it. */
    public void awaitFailover(RedisServer former) {
        takeForDeadAfter(ALERT_MILLIS);
        RedisCluster.await("another server is the master", () -> {
            Set<Long> ports = named();
            return ports.size() == 1
                    && !ports.contains((long) former.port())
                    && server(ports.iterator().next())
                            .text("INFO", "replication")
                            .contains("role:master");
        });
        takeForDeadAfter(CALM_MILLIS);
    }

    private void takeForDeadAfter(int millis) {
        sentinels.stream()
                .filter(RedisServer::isRunning)
                .forEach(each -> each.call("SENTINEL", "SET", MASTER, "down-after-milliseconds", "" + millis));
    }

    /** Until both servers run, one follows the other, and sentinels know it. */
    public void awaitWhole() {
        RedisCluster.await(
                "the replica follows",
                () -> replica().isRunning()
                        && replica().text("INFO", "replication").contains("master_link_status:up"));
        RedisCluster.await(
                "the sentinels see it",
                () -> sentinels.stream()
                        .filter(RedisServer::isRunning)
                        .map(each -> String.valueOf(each.call("SENTINEL", "REPLICAS", MASTER)))
                        .allMatch(seen -> seen.contains("master-link-status, ok") && seen.contains("flags, slave, ")));
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    public String url() {
        return sentinels.stream()
                .map(RedisServer::name)
                .collect(Collectors.joining(",", "redis+sentinel://", "/" + MASTER));
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
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
