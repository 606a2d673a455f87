package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@link RedisNode} as the simulator implements it. */
public interface SimulatedServer {
    /** {@link RedisNode.Identity}, as far as it differs between servers. */
    record Identity(String runId, String replicationId) {}

    /** {@link RedisNode.Listener}. */
    interface Ears {
        void reconnected();

        void subscribed();

        void notSubscribed(Throwable why);

        void message(String text);
    }

    String address();

    void open(Environment environment, Ears ears, String inbox);

    /** {@code run_id} and {@code master_replid}, of the server to which the connection led last. */
    Identity identity();

    /** Runs a script; where {@code only} is given, on that server or not at all. */
    CompletionStage<List<Object>> eval(
            @Nullable Identity only, String script, String source, String[] keys, String[] arguments);

    /** Asks the server anew who it is. */
    CompletionStage<Identity> identify();

    CompletionStage<List<Object>> ask(String command);

    boolean isSubscribed();

    void replaceInbox();

    void close();
}
