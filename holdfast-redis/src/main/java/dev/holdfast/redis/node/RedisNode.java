package dev.holdfast.redis.node;

import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One Redis server as a backend sees it: the seam under which a client library, or a simulator, does its work. A node
 * keeps one connection for commands and one for the inbox, and restores both by itself.
 *
 * <p>A node never sends a request twice: what was under way when a connection broke fails, with the outcome unknown. It
 * knows the server's identity before it sends anything over a new connection. Failures arrive as {@link Errors} makes
 * them. Stages and listener calls come on any thread and must not be blocked.
 */
public interface RedisNode extends ScriptRunner, AutoCloseable {
    /**
     * Which server this is.
     *
     * @param runId changes with every start of the server; empty if we may not ask for it
     * @param replicationId changes when its data may have come from another server
     * @param version as the server states it; empty likewise
     * @param countsReceivers whether PUBLISH counts all subscribers, which it does not in a cluster
     */
    record Identity(String runId, String replicationId, String version, boolean countsReceivers) {
        public static final Identity UNKNOWN = new Identity("", "", "", true);

        /** Names one memory: another start of the server, or data from elsewhere, is another one. */
        public String memory() {
            return runId + ":" + replicationId;
        }
    }

    /** Hears what happens to the connections. */
    interface Listener extends Subscription.Listener {
        /** The connection for commands stands again: what was under way before has failed, the server may be another. */
        void reconnected();

        /**
         * The inbox is subscribed to that channel; messages published before this may be lost. Called each time, one call
         * after the other.
         */
        @Override
        void subscribed(String channel);

        /** The inbox could not be subscribed; it is being tried again. */
        @Override
        void notSubscribed(Throwable why);

        /** The connection for commands could not be opened; it is being tried again. */
        void notConnected(Throwable why);
    }

    /**
     * The first connection, for callers that have no time to give yet: see {@link #open}. Whoever does not call this is connected by
     * {@link #open}, and told by the listener.
     */
    default CompletionStage<?> connectAsync() {
        return CompletableFuture.completedStage(null);
    }

    /**
     * Called once, before anything below.
     *
     * @param inbox null: this server needs no inbox. Otherwise it names the channel of each new connection of the inbox, from a number that the server handed out for it,
     *     as {@link #mark}; called once for each
     */
    void open(Environment environment, Listener listener, @Nullable LongFunction<String> inbox);

    /** For a server that needs no inbox. */
    default void openCommands(Environment environment, Listener listener) {
        open(environment, listener, (LongFunction<String>) null);
    }

    /** With one channel for all connections. */
    default void open(Environment environment, Listener listener, String inbox) {
        open(environment, listener, (long mark) -> inbox);
    }

    /**
     * A number that the server handed out for the connection for commands and for no other, mixed with its run_id over all
     * 64 bits; zero before the first connection, or where the server gives none.
     */
    default long mark() {
        return 0;
    }

    /** Whether that server may remove keys, as of when its identity was last asked for: on connecting, and by {@link #identify}. */
    public default MemoryPolicy memory() {
        return MemoryPolicy.UNKNOWN;
    }

    /**
     * Runs a script on that server and no other: if the connection that would carry it leads elsewhere by now, nothing is
     * sent, and the stage fails with {@link dev.holdfast.spi.NotSentException}.
     */
    CompletionStage<List<Object>> evalAt(Identity server, Script script, String[] keys, String[] arguments);

    /** The same server, for keys of a slot that is just moving to it: each request is announced by ASKING. */
    default ScriptRunner asking() {
        return this;
    }

    /** Asks the server anew who it is, and what it does when its memory is full: see {@link #memory}. One INFO. */
    CompletionStage<Identity> identify();

    /** Any other command: the time, and diagnosis. A single value comes as a list of one. */
    CompletionStage<List<Object>> ask(String command, String... arguments);

    /** Whether the inbox stands at this moment, as far as we know. */
    boolean isSubscribed();

    /** Subscribes over a new connection, and closes the old one once that is confirmed. */
    void replaceInbox();

    @Override
    void close();
}
