package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Applications whose own connection factory leads to sentinels or to a cluster, and what becomes of locks when a master dies. */
class RedisTopologiesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than a failover takes on a busy machine. */
    private static final String LEASE = "holdfast.lease=60s";

    private static ConfigurableApplicationContext start(List<String> properties, String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(Stream.of(
                                properties.stream(),
                                Stream.of(more),
                                Stream.of("spring.main.banner-mode=off", "logging.level.root=error"))
                        .flatMap(each -> each)
                        .map(each -> "--" + each)
                        .toArray(String[]::new));
    }

    private static String nodes(List<RedisServer> servers) {
        return servers.stream().map(RedisServer::name).collect(Collectors.joining(","));
    }

    /** Only this user may write: whoever does not log in gets no lock. */
    private static void protect(List<RedisServer> servers) {
        for (RedisServer server : servers) {
            server.call("ACL", "SETUSER", "shop", "on", ">hunter2", "~*", "&*", "+@all");
            server.call("ACL", "SETUSER", "default", "resetkeys", "%R~*");
        }
    }

    @Test
    void throughTheSentinelsOfTheApplicationALockOutlivesItsMaster() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.trio().start()) {
            protect(List.of(sentinels.master(), sentinels.replica()));
            sentinels
                    .sentinels()
                    .forEach(each -> each.call("ACL", "SETUSER", "watcher", "on", ">s33n", "~*", "&*", "+@all"));
            List<String> properties = List.of(
                    "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER,
                    "spring.data.redis.sentinel.nodes=" + nodes(sentinels.sentinels()),
                    "spring.data.redis.sentinel.username=watcher",
                    "spring.data.redis.username=shop",
                    "spring.data.redis.database=3",
                    "holdfast.redis.namespace=shop",
                    "holdfast.redis.command-timeout=30s",
                    LEASE);
            try (ConfigurableApplicationContext application = start(
                            properties,
                            "spring.data.redis.sentinel.password=s33n",
                            "spring.data.redis.password=hunter2",
                            "holdfast.redis.wait-for-replicas=1",
                            "holdfast.redis.wait-time=1s");
                    Holdfast elsewhere = Holdfast.over(
                            RedisBackend.builder(sentinels.url().replace("://", "://shop:hunter2@") + "?database=3")
                                    .namespace("shop")
                                    .commandTimeout(Duration.ofSeconds(30))
                                    .connect())) {
                assertOutlives(application, elsewhere, () -> {
                    RedisServer former = sentinels.master();
                    former.kill();
                    sentinels.awaitFailover(former);
                });
            }
            assertThatThrownBy(() -> start(
                            properties,
                            "spring.data.redis.sentinel.password=wrong",
                            "spring.data.redis.password=hunter2"))
                    .hasStackTraceContaining("cannot store locks in redis")
                    .hasStackTraceContaining(RedisSentinels.MASTER);
            assertThatThrownBy(() -> start(
                            properties, "spring.data.redis.sentinel.password=s33n", "spring.data.redis.password=wrong"))
                    .hasStackTraceContaining("cannot store locks in redis")
                    .hasStackTraceContaining("WRONGPASS");
        }
    }

    @Test
    void throughTheClusterClientOfTheApplicationALockOutlivesItsMaster() throws Exception {
        try (RedisCluster cluster = RedisCluster.withReplicas().start()) {
            protect(cluster.servers());
            List<String> properties = List.of(
                    "spring.data.redis.cluster.nodes=" + nodes(cluster.servers().subList(0, 2)),
                    "spring.data.redis.username=shop",
                    "holdfast.redis.namespace=shop",
                    "holdfast.redis.command-timeout=30s",
                    LEASE);
            try (ConfigurableApplicationContext application = start(
                            properties,
                            "spring.data.redis.password=hunter2",
                            "holdfast.redis.wait-for-replicas=1",
                            "holdfast.redis.wait-time=1s");
                    Holdfast elsewhere =
                            Holdfast.over(RedisBackend.builder(cluster.url().replace("://", "://shop:hunter2@"))
                                    .namespace("shop")
                                    .commandTimeout(Duration.ofSeconds(30))
                                    .connect())) {
                assertOutlives(application, elsewhere, () -> {
                    RedisServer former = cluster.masters().stream()
                            .filter(each -> !key(each).isEmpty())
                            .findFirst()
                            .orElseThrow();
                    int slot = Integer.parseInt(former.text("CLUSTER", "KEYSLOT", key(former)));
                    former.kill();
                    cluster.awaitFailover(slot, former);
                });
            }
            assertThatThrownBy(() -> start(properties, "spring.data.redis.password=wrong"))
                    .hasStackTraceContaining("cannot store locks in redis")
                    .hasStackTraceContaining("WRONGPASS");
        }
    }

    /** That of the lock that is held; empty where it is not kept. */
    private static String key(RedisServer server) {
        return ((List<?>) server.call("KEYS", "*lock*"))
                .stream().map(String::valueOf).findFirst().orElse("");
    }

    /** Held through the application, and seen from elsewhere, over a failover. */
    private static void assertOutlives(
            ConfigurableApplicationContext application, Holdfast elsewhere, Runnable failover) throws Exception {
        Holdfast holdfast = application.getBean(Holdfast.class);
        application.getBean(StringRedisTemplate.class).opsForValue().set("greeting", "hello");
        try (Lease lease = holdfast.lock("a").acquire(PATIENCE)) {
            awaitSeen(elsewhere, lease);
            failover.run();
            awaitSeen(elsewhere, lease);
            awaitSeen(holdfast, lease);
            assertThat(lease.isValid()).isTrue();
        }
        // By the release, which may have to be repeated. Without one it would stay for longer than this.
        await().atMost(Duration.ofSeconds(30))
                .ignoreException(LockUnavailableException.class)
                .until(() -> elsewhere.inspect("a").isEmpty());
        // Nobody follows the new master: a grant cannot be confirmed, and is not given. Claims have a connection of
        // their own, which
        // comes about in a moment, too.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> holdfast.lock("a").tryAcquire())
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("only 0 of 1 replicas"));
    }

    /** Connections to the new master come about in a moment. */
    private static void awaitSeen(Holdfast by, Lease lease) {
        await().atMost(PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .until(() -> by.inspect("a").orElseThrow().tokens().contains(lease.token()));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
            })
    static class Shop {}
}
