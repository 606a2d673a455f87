package dev.holdfast.spring.boot;

import dev.holdfast.etcd.EtcdBackend;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.util.Locale;

/** Backends with connections of their own, by {@code holdfast.url}. */
final class UrlBackends {
    private UrlBackends() {}

    static BackendKind kindOf(String url) {
        return switch (scheme(url)) {
            case "redis", "rediss", "redlock", "redlocks" -> BackendKind.REDIS;
            case "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster" -> BackendKind.REDIS;
            case "jdbc" -> BackendKind.JDBC;
            case "zookeeper", "zookeeper+tls" -> BackendKind.ZOOKEEPER;
            case "etcd", "etcd+tls" -> BackendKind.ETCD;
            case "memory" -> BackendKind.MEMORY;
            // The URL is not repeated: any part of it may belong to a password.
            default ->
                throw new HoldfastStartupException(
                        "holdfast.url does not begin as the URL of a store that Holdfast knows.",
                        "Use redis://host:6379, redis+sentinel://a:26379,b:26379/master or redis+cluster://a:6379,b:6379,"
                                + " with rediss for TLS, redlock://a:6379,b:6379,c:6379 or redlocks://,"
                                + " jdbc:postgresql://host/database, zookeeper://host:2181 or zookeeper+tls://,"
                                + " etcd://host:2379 or etcd+tls://, or memory: for one process alone.",
                        null);
        };
    }

    private static String scheme(String url) {
        return url.substring(0, Math.max(0, url.indexOf(':'))).toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if the URL cannot be read */
    static LockBackend connect(BackendKind kind, String url, HoldfastProperties properties) {
        return switch (kind) {
            case REDIS ->
                scheme(url).startsWith("redlock") ? Redis.quorum(url, properties) : Redis.backend(url, properties);
            case JDBC -> Jdbc.backend(url, properties);
            case ZOOKEEPER -> ZooKeeper.backend(url, properties);
            case ETCD -> Etcd.backend(url);
            case MEMORY -> new InMemoryBackend();
        };
    }

    // Each apart, because the modules of the others need not be there.

    private static final class Redis {
        static LockBackend backend(String url, HoldfastProperties properties) {
            return RedisBackends.connect(RedisBackend.builder(url), properties.redis());
        }

        static LockBackend quorum(String url, HoldfastProperties properties) {
            RedlockBackend.Builder builder = RedlockBackend.builder(url);
            HoldfastProperties.Redis redis = properties.redis();
            RedisBackends.refuseWaits(redis);
            Setting.apply("holdfast.redis.namespace", redis.namespace(), builder::namespace);
            Setting.apply("holdfast.redis.claim-window", redis.claimWindow(), builder::claimWindow);
            Setting.apply("holdfast.redis.command-timeout", redis.commandTimeout(), builder::nodeTimeout);
            Setting.apply("holdfast.max-lease", properties.maxLease(), builder::maxLease);
            return builder.connect();
        }
    }

    private static final class Jdbc {
        static LockBackend backend(String url, HoldfastProperties properties) {
            return JdbcBackends.connect(JdbcBackend.builder(url), properties.jdbc());
        }
    }

    private static final class ZooKeeper {
        static LockBackend backend(String url, HoldfastProperties properties) {
            return ZooKeeperBackends.connect(ZooKeeperBackend.builder(url), properties.zookeeper());
        }
    }

    /** Everything it can be told stands in its URL. */
    private static final class Etcd {
        static LockBackend backend(String url) {
            return EtcdBackend.connect(url);
        }
    }
}
