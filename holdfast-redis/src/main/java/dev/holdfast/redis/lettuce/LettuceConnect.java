package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.cluster.ClusterTopology;
import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.redis.node.SingleServer;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The first connection to where locks are kept. */
public final class LettuceConnect {
    private final @Nullable AbstractRedisClient users;
    private final Duration timeout;
    private final Keys keys;
    private final @Nullable Confirmation confirmation;

    /** @param users whose threads and settings are used, if there is one */
    public LettuceConnect(
            @Nullable AbstractRedisClient users, Duration timeout, Keys keys, @Nullable Confirmation confirmation) {
        this.users = users;
        this.timeout = timeout;
        this.keys = keys;
        this.confirmation = confirmation;
    }

    /** Blocks for a few timeouts at most, and throws what {@code Errors} makes of a failure. */
    Topology single(RedisURI uri) {
        LettuceNode node = LettuceClients.node(users, uri, timeout, keys, confirmation);
        try {
            node.connect();
            requireConfirmation(node.identity().version(), node.address());
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        return new SingleServer(node, LettuceClients.kindOf(uri));
    }

    Topology cluster(List<RedisURI> servers) {
        List<ServerAddress> seeds = servers.stream()
                .map(uri -> new ServerAddress(uri.getHost(), uri.getPort()))
                .toList();
        ClusterTopology cluster = new ClusterTopology(
                LettuceClients.cluster(users, servers.get(0), timeout, keys, confirmation), seeds, timeout);
        try {
            cluster.connectAsync().join();
            cluster.servers()
                    .forEach(node -> requireConfirmation(node.identity().version(), node.address()));
        } catch (CompletionException e) {
            cluster.close();
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** A server that does not know the command would grant nothing, ever. */
    private void requireConfirmation(String version, String address) {
        if (confirmation != null && confirmation.onDisk() && isOlderThan72(version)) {
            throw new RefusedException("Redis at " + address + " is version " + version
                    + ": waiting for the disk needs 7.2 (WAITAOF). Upgrade the server, or wait for replicas only");
        }
    }

    private static boolean isOlderThan72(String version) {
        String[] parts = version.split("\\.", 3);
        try {
            int major = Integer.parseInt(parts[0]);
            return major < 7 || (major == 7 && parts.length > 1 && Integer.parseInt(parts[1]) < 2);
        } catch (NumberFormatException unknown) {
            return false;
        }
    }
}
