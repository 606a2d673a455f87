package dev.holdfast.redis.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens connections on which messages arrive. */
final class Subscriber {
    private final RedisClient client;
    private final Duration timeout;
    private final Refusals refusals;

    /** @param timeout for an answer */
    Subscriber(RedisClient client, Duration timeout, Refusals refusals) {
        this.client = client;
        this.timeout = timeout;
        this.refusals = refusals;
    }

    CompletionStage<StatefulRedisPubSubConnection<String, String>> connect(RedisURI uri) {
        return client.connectPubSubAsync(ConnectionOpener.CODEC, uri).handle((connection, failure) -> {
            if (failure != null) {
                throw refusals.refusal(failure);
            }
            connection.setTimeout(timeout);
            return connection;
        });
    }

    /** The connection, once it is subscribed. If that fails, it is closed. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
            StatefulRedisPubSubConnection<String, String> connection, String channel, Consumer<String> messages) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, @Nullable String text) {
                messages.accept(text == null ? "" : text);
            }
        });
        return NewConnection.answer(connection, connection.async().subscribe(channel))
                .<@Nullable Throwable>handle((nothing, failure) -> failure)
                .thenCompose(problem -> refusals.unless(problem, connection));
    }
}
