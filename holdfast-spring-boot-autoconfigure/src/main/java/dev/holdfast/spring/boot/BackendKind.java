package dev.holdfast.spring.boot;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Where locks can be stored, as {@code holdfast.backend} names it. */
enum BackendKind {
    /** Redis, through Lettuce: one server, the master that sentinels name, or a cluster. */
    REDIS(
            "holdfast-redis",
            "dev.holdfast.redis.RedisBackend",
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory"),
    /** Tables of a relational database. */
    JDBC("holdfast-jdbc", "dev.holdfast.jdbc.JdbcBackend", "javax.sql.DataSource"),
    /** ZooKeeper, through Curator. */
    ZOOKEEPER(
            "holdfast-zookeeper",
            "dev.holdfast.zookeeper.ZooKeeperBackend",
            "org.apache.curator.framework.CuratorFramework"),
    /** etcd, by its URL. */
    ETCD("holdfast-etcd", "dev.holdfast.etcd.EtcdBackend", null),
    /** The memory of this process: for tests, and for programs that are one process. */
    MEMORY("holdfast-core", "dev.holdfast.memory.InMemoryBackend", null);

    private final String module;
    private final String entryClass;
    private final @Nullable String clientType;

    BackendKind(String module, String entryClass, @Nullable String clientType) {
        this.module = module;
        this.entryClass = entryClass;
        this.clientType = clientType;
    }

    /** The value of {@code holdfast.backend}. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isOn(@Nullable ClassLoader classPath) {
        return ClassUtils.isPresent(entryClass, classPath);
    }

    String dependency() {
        return "dev.holdfast:" + module;
    }

    /** What keeps this from being used without a URL, for people. */
    String whatIsMissing(@Nullable ClassLoader classPath) {
        if (!isOn(classPath)) {
            return dependency() + " is not on the class path";
        }
        return clientType == null
                ? "holdfast.url is not set"
                : "there is no bean of type " + ClassUtils.getShortName(clientType);
    }
}
