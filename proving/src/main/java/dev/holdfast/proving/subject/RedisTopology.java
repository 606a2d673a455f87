package dev.holdfast.proving.subject;

import dev.holdfast.redis.testing.RedisSentinels;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How libraries over Lettuce reach one server, sentinels or a cluster. */
final class RedisTopology {
    static final String MASTER = RedisSentinels.MASTER;
    static final List<Store> STORES = List.of(Store.REDIS, Store.SENTINEL, Store.CLUSTER);

    private RedisTopology() {}

    /** The connection that everybody on Spring Data Redis has. */
    static LettuceConnectionFactory springConnection(Store store, Target target) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(springConfiguration(store, target));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private static RedisConfiguration springConfiguration(Store store, Target target) {
        return switch (store) {
            case SENTINEL -> {
                RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master(MASTER);
                target.ports().forEach(port -> sentinels.sentinel("127.0.0.1", port));
                yield sentinels;
            }
            case CLUSTER -> new RedisClusterConfiguration(target.addresses());
            default ->
                new RedisStandaloneConfiguration("127.0.0.1", target.ports().get(0));
        };
    }

    /** One connection of Lettuce itself. */
    record Plain(RedisClusterCommands<String, String> commands, Runnable closing) {}

    static Plain plainConnection(Store store, Target target, Duration timeout) {
        List<RedisURI> uris =
                target.urls("redis").stream().map(RedisURI::create).toList();
        uris.forEach(uri -> uri.setTimeout(timeout));
        if (store == Store.CLUSTER) {
            RedisClusterClient client = RedisClusterClient.create(uris);
            return new Plain(client.connect().sync(), client::shutdown);
        }
        RedisClient client = RedisClient.create(store == Store.SENTINEL ? sentinels(uris, timeout) : uris.get(0));
        return new Plain(client.connect().sync(), client::shutdown);
    }

    private static RedisURI sentinels(List<RedisURI> uris, Duration timeout) {
        RedisURI.Builder builder =
                RedisURI.builder().withSentinelMasterId(MASTER).withTimeout(timeout);
        uris.forEach(builder::withSentinel);
        return builder.build();
    }
}
