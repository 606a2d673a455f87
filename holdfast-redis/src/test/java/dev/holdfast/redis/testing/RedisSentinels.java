package dev.holdfast.redis.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A master, a replica and three sentinels that watch them, in processes of their own. */
public final class RedisSentinels implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    public static final String MASTER = "shop";

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
                () -> servers.get(1).text("INFO", "replication").contains("master_link_status:up"));
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisServer.sentinel(MASTER, servers.get(0).port()).start());
        }
        RedisCluster.await(
                "sentinels know each other and the replica",
                () -> sentinels.stream()
                        .map(each -> each.text("INFO", "sentinel"))
                        .allMatch(info -> info.contains("slaves=1") && info.contains("sentinels=3")));
        return this;
    }

    /** Whom the sentinels name. */
    public RedisServer master() {
        long port = masterPort();
        return servers.stream().filter(each -> each.port() == port).findFirst().orElseThrow();
    }

    /** The other one. */
    public RedisServer replica() {
        long port = masterPort();
        return servers.stream().filter(each -> each.port() != port).findFirst().orElseThrow();
    }

    private long masterPort() {
        List<?> address = (List<?>) sentinels.get(0).call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER);
        return Long.parseLong(String.valueOf(address.get(1)));
    }

    /** Until another server is the master, and says so itself. */
    public void awaitFailover(RedisServer former) {
        RedisCluster.await(
                "another server is the master",
                () -> masterPort() != former.port()
                        && master().text("INFO", "replication").contains("role:master"));
    }

    /** Until both servers run, one follows the other, and sentinels know it. */
    public void awaitWhole() {
        RedisCluster.await(
                "the replica follows",
                () -> replica().isRunning()
                        && replica().text("INFO", "replication").contains("master_link_status:up"));
        RedisCluster.await(
                "the sentinels see it",
                () -> String.valueOf(sentinels.get(0).call("SENTINEL", "REPLICAS", MASTER))
                        .contains("master-link-status, ok"));
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
