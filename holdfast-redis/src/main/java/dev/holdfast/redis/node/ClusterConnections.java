package dev.holdfast.redis.node;

import java.util.function.Supplier;

/** Makes connections to the servers of a cluster: the seam under which a client library, or a simulator, does its work. */
public interface ClusterConnections extends AutoCloseable {
    /** A server without an inbox, not connected yet. */
    RedisNode server(ServerAddress address);

    /**
     * The inbox, not subscribed yet.
     *
     * @param where asked before each connection
     */
    Subscription inbox(Supplier<ServerAddress> where);

    /** After everything that it made was closed. */
    @Override
    void close();
}
