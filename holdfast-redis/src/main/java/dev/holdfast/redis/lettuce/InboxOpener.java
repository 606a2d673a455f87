package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Subscription;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens the connection of an inbox and subscribes it. Each connection has a channel of its own. */
final class InboxOpener {
    /** The connection that was opened last, successfully or not, and its channel. */
    private record Subscribed(Object connection, String channel) {}

    private final Supplier<CompletionStage<RedisURI>> where;
    private final Supplier<String> runId;
    private final Subscriber subscriber;
    private volatile @Nullable Subscribed last;
    // Both are written once, by start(), before an inbox is opened.
    private volatile Subscription.@Nullable Listener listener;
    private LongFunction<String> channels = mark -> "";

    /**
     * @param where asked before each connection
     * @param runId of the server there, as far as is known: it tells connections of two starts of a server apart
     */
    InboxOpener(Supplier<CompletionStage<RedisURI>> where, Supplier<String> runId, Subscriber subscriber) {
        this.where = where;
        this.runId = runId;
        this.subscriber = subscriber;
    }

    /** From here on there may be an inbox, and its messages go to this listener. */
    void start(Subscription.Listener listener, LongFunction<String> channels) {
        this.channels = channels;
        this.listener = listener;
    }

    boolean isStarted() {
        return listener != null;
    }

    /** The channel of this connection; null if another one was opened since. */
    @Nullable
    String channelOf(Object connection) {
        Subscribed known = last;
        return known != null && known.connection() == connection ? known.channel() : null;
    }

    /** Complete once it is subscribed. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> open() {
        Subscription.Listener listening = Objects.requireNonNull(listener, "start() comes first");
        return where.get()
                .thenCompose(subscriber::connect)
                .thenCompose(connection -> ConnectionMark.number(connection)
                        .thenApply(number -> channels.apply(ConnectionMark.of(runId.get(), number)))
                        .thenCompose(channel -> subscribe(connection, channel, listening)));
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
            StatefulRedisPubSubConnection<String, String> connection, String channel, Subscription.Listener listening) {
        last = new Subscribed(connection, channel);
        return subscriber.subscribe(connection, channel, listening::message);
    }
}
