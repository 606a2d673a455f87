package dev.holdfast.redis.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What is asked over a connection before a {@link LettuceLink} keeps it alive. Until then nobody notices that it breaks, as all those do
 * which a dying server still accepts: Lettuce holds back what is sent over them, and it would wait for as long as an answer may take.
 */
final class NewConnection {
    private NewConnection() {}

    /** The answer; a failure as soon as the connection is broken. */
    static <T> CompletableFuture<T> answer(StatefulConnection<?, ?> connection, CompletionStage<T> answer) {
        CompletableFuture<T> first = new CompletableFuture<>();
        RedisConnectionStateListener breaks = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                first.completeExceptionally(broken());
            }
        };
        connection.addListener(breaks);
        var unusedAnswer = answer.whenComplete((value, failure) -> {
            if (failure == null) {
                first.complete(value);
            } else {
                first.completeExceptionally(failure);
            }
        });
        if (!connection.isOpen()) {
            first.completeExceptionally(broken());
        }
        var unusedRemoval = first.whenComplete((value, failure) -> connection.removeListener(breaks));
        // Not that one, whose failure would be wrapped.
        return first;
    }

    private static RedisConnectionException broken() {
        return new RedisConnectionException("the connection broke while it was being opened");
    }
}
