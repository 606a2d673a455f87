package dev.holdfast.redis.node;

import dev.holdfast.Finding;
import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * The servers that keep the locks, and which of them keeps which name. There is one inbox, however many servers there are: what
 * one server of a cluster publishes reaches every subscriber of the cluster.
 */
public interface Topology extends AutoCloseable {
    /** How servers stand to each other. */
    enum Kind {
        /** One server at one address. */
        SINGLE,
        /** One server at a time, which sentinels name. */
        SENTINEL,
        /** Many servers, each with a part of the names. */
        CLUSTER,
        /** Many servers that vote on every name. */
        QUORUM
    }

    /** Hears what happens to the connections. */
    interface Listener extends Subscription.Listener {
        /** The first connection to a server stands, before anything was asked of it. */
        void connected(RedisNode server);

        /** A connection for commands stands again, or leads to a server that is new here: what was stored may be lost. */
        void reconnected(RedisNode server);

        /** As {@link RedisNode.Listener#notConnected}. */
        void notConnected(RedisNode server, Throwable why);
    }

    Kind kind();

    /** Where this is, for messages. */
    String address();

    /** Called once, before anything below. The inbox as in {@link RedisNode#open}. */
    void open(Environment environment, Listener listener, LongFunction<String> inbox);

    /**
     * Runs a request at the server that keeps this name. If the server answers that it did nothing because another one keeps it
     * now, the request is made anew for that one: so it must read all that depends on the server from its argument.
     */
    <T> CompletionStage<T> at(String name, Function<ScriptRunner, CompletionStage<T>> request);

    /** Names with the same group may be asked for in one request. */
    int group(String name);

    /** All servers that keep locks, as far as is known. */
    List<RedisNode> servers();

    /** What there is to say about the servers as a whole: which they are, and what that means for a lock. */
    CompletionStage<List<Finding>> findings();

    /** As {@link RedisNode#mark}: of any connection. */
    long mark();

    /** Whether the inbox stands at this moment, as far as we know. */
    boolean isSubscribed();

    /** Subscribes over a new connection, and closes the old one once that is confirmed. */
    void replaceInbox();

    @Override
    void close();
}
