package dev.holdfast.redis.cluster;

import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.ServerAddress;
import java.util.concurrent.CompletableFuture;

/** One server of the cluster, as long as we have a connection to it or want one. */
final class ClusterServer {
    final ServerAddress address;
    final RedisNode node;
    /** Complete once the first attempt to connect has ended, well or not. */
    final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();

    private volatile boolean reachable;

    ClusterServer(ServerAddress address, RedisNode node) {
        this.address = address;
        this.node = node;
    }

    /** Whether its last attempt to connect went well. */
    boolean isReachable() {
        return reachable;
    }

    void connected() {
        reachable = true;
        firstAttempt.complete(true);
    }

    void notConnected() {
        reachable = false;
        firstAttempt.complete(false);
    }
}
