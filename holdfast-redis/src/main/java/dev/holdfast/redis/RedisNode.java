package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One Redis server as a backend sees it: the seam under which a client library, or a simulator, does its work. A node
 * keeps one connection for commands and one for the inbox, and restores both by itself.
 *
 * <p>A node never sends a request twice: what was under way when a connection broke fails, with the outcome unknown. It
 * knows the server's identity before it sends anything over a new connection. Failures arrive as {@link Errors} makes
 * them. Stages and listener calls come on any thread and must not be blocked.
 */
interface RedisNode extends AutoCloseable {
    /**
     * Which server this is.
     *
     * @param runId changes with every start of the server; empty if we may not ask for it
     * @param replicationId changes when its data may have come from another server
     * @param version as the server states it; empty likewise
     * @param countsReceivers whether PUBLISH counts all subscribers, which it does not in a cluster
     */
    record Identity(String runId, String replicationId, String version, boolean countsReceivers) {
        static final Identity UNKNOWN = new Identity("", "", "", true);

        /** Names one memory: another start of the server, or data from elsewhere, is another one. */
        String memory() {
            return runId + ":" + replicationId;
        }
    }

    /** Hears what happens to the connections. */
    interface Listener {
        /** The connection for commands stands again: what was under way before has failed, the server may be another. */
        void reconnected();

        /** The inbox is subscribed; messages published before this may be lost. Called each time. */
        void subscribed();

        /** The inbox could not be subscribed; it is being tried again. */
        void notSubscribed(Throwable why);

        void message(String text);

        void disturbed(String what);
    }

    /** Host and port, for messages. */
    String address();

    /** Called once, before anything below. */
    void open(Environment environment, Listener listener, String inbox);

    /** Of the server that the connection for commands leads to, or led to last. */
    Identity identity();

    /**
     * Runs a script. The answer holds longs, strings, nulls and lists of them. A text by itself stands for a list of the
     * numbers in it.
     */
    CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments);

    /**
     * Runs a script on that server and no other: if the connection that would carry it leads elsewhere by now, nothing is
     * sent, and the stage fails with {@link dev.holdfast.spi.NotSentException}.
     */
    CompletionStage<List<Object>> evalAt(Identity server, Script script, String[] keys, String[] arguments);

    /** Asks the server anew who it is. */
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
