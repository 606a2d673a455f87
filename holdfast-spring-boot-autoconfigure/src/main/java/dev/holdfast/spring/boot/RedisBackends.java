package dev.holdfast.spring.boot;

import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Locks in the Redis that the application's connection factory leads to, with the threads and the TLS of its client: one server, the
 * master that sentinels name, or a cluster.
 */
final class RedisBackends {
    /** As in a URL without waitMillis. */
    private static final Duration USUAL_WAIT = Duration.ofMillis(500);

    private RedisBackends() {}

    static LockBackend over(LettuceConnectionFactory factory, HoldfastProperties properties) {
        if (!factory.isRunning()) {
            factory.start(); // One that does not start early has no client yet.
        }
        return connect(builder(factory), properties.redis());
    }

    private static RedisBackend.Builder builder(LettuceConnectionFactory factory) {
        AbstractRedisClient client = factory.getRequiredNativeClient();
        if (client instanceof RedisClusterClient cluster) {
            return RedisBackend.over(cluster);
        }
        RedisClient single = (RedisClient) client; // Lettuce has no third kind.
        if (factory.isRedisSentinelAware()) {
            return RedisBackend.over(single, FactoryAddress.ofSentinels(factory));
        }
        if (!hasAddress(single)) {
            throw notSupported();
        }
        return RedisBackend.over(single, FactoryAddress.ofServer(factory));
    }

    static LockBackend connect(RedisBackend.Builder builder, HoldfastProperties.Redis redis) {
        Setting.apply("holdfast.redis.namespace", redis.namespace(), builder::namespace);
        Setting.apply("holdfast.redis.claim-window", redis.claimWindow(), builder::claimWindow);
        Setting.apply("holdfast.redis.command-timeout", redis.commandTimeout(), builder::commandTimeout);
        if (!waits(redis)) {
            return builder.connect();
        }
        Duration within = redis.waitTime() == null ? USUAL_WAIT : redis.waitTime();
        Setting.apply(
                "holdfast.redis.wait-for-replicas",
                redis.waitForReplicas(),
                replicas -> builder.waitForReplicas(replicas, within));
        Setting.apply(
                "holdfast.redis.wait-for-disk", redis.waitForDisk(), replicas -> builder.waitForDisk(replicas, within));
        // Compared with the command timeout only here.
        return Setting.checked("holdfast.redis.wait-time", builder::connect);
    }

    /** Whether grants wait for replicas or disks. */
    private static boolean waits(HoldfastProperties.Redis redis) {
        boolean both = redis.waitForReplicas() != null && redis.waitForDisk() != null;
        boolean neither = redis.waitForReplicas() == null && redis.waitForDisk() == null;
        if (both) {
            throw new HoldfastStartupException(
                    "Both holdfast.redis.wait-for-replicas and holdfast.redis.wait-for-disk are set.",
                    "Remove wait-for-replicas: a replica that has written a grant to its disk has received it.",
                    null);
        }
        if (neither && redis.waitTime() != null) {
            throw new HoldfastStartupException(
                    "holdfast.redis.wait-time is set, and nothing says what is waited for.",
                    "Set holdfast.redis.wait-for-replicas or holdfast.redis.wait-for-disk, or remove wait-time.",
                    null);
        }
        return !neither;
    }

    /** Servers of a quorum are independent: none of them waits for another. */
    static void refuseWaits(HoldfastProperties.Redis redis) {
        refuseWait("wait-for-replicas", redis.waitForReplicas());
        refuseWait("wait-for-disk", redis.waitForDisk());
        refuseWait("wait-time", redis.waitTime());
    }

    private static void refuseWait(String name, @Nullable Object value) {
        if (value != null) {
            throw new HoldfastStartupException(
                    "holdfast.redis." + name + " is set, and holdfast.url is that of a quorum, which has no replicas.",
                    "Remove holdfast.redis." + name + ": a majority of the servers has each grant already.",
                    null);
        }
    }

    /**
     * A factory for a master with replicas does not say so, and names the default address in place of theirs. But its client
     * has no address, and refuses to connect without one. A server that cannot be reached is left to our own connections,
     * whose messages say more.
     */
    private static boolean hasAddress(RedisClient client) {
        try {
            client.connect().close();
            return true;
        } catch (IllegalStateException noAddress) {
            return false;
        } catch (RedisException unreachable) {
            return true;
        }
    }

    private static HoldfastStartupException notSupported() {
        return new HoldfastStartupException(
                "The application's connection factory leads to a master with replicas, and nobody there says which of them is"
                        + " the master after a failover.",
                "Set holdfast.url to redis+sentinel://a:26379,b:26379/master, redis+cluster://a:6379,b:6379, redis://host:6379 of"
                        + " one server, redlock://a:6379,b:6379,c:6379 of at least three independent ones, or to another"
                        + " store. Do not point it at one server of a master with replicas: a failover would lose locks"
                        + " unnoticed.",
                null);
    }
}
