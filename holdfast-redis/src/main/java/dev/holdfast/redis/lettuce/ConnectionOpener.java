package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.ServerInfo;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connection for commands of a node, and asks what has to be known before anything else is sent over it: which
 * server answers, what it does when its memory is full, which number it gave the connection.
 */
final class ConnectionOpener {
    static final StringCodec CODEC = StringCodec.UTF8;

    /** Who answers on a connection. */
    record Known(
            @Nullable Object connection, RedisNode.Identity identity, MemoryPolicy memory, long number, long mark) {
        static Known of(Object connection, RedisNode.Identity identity, MemoryPolicy memory, long number) {
            return new Known(connection, identity, memory, number, ConnectionMark.of(identity.runId(), number));
        }
    }

    private final RedisClient client;
    private final Supplier<CompletionStage<RedisURI>> where;
    private final Duration timeout;
    private final Errors errors;
    private volatile Known known = new Known(null, RedisNode.Identity.UNKNOWN, MemoryPolicy.UNKNOWN, 0, 0);
    private final Refusals refusals;
    /** Whether we keep the time of requests ourselves. */
    private volatile boolean started;

    /** @param where asked before each connection */
    ConnectionOpener(RedisClient client, Supplier<CompletionStage<RedisURI>> where, Duration timeout, Errors errors) {
        this.client = client;
        this.where = where;
        this.timeout = timeout;
        this.errors = errors;
        this.refusals = new Refusals(errors);
    }

    /** From here on we keep the time of requests ourselves. */
    void start() {
        started = true;
    }

    /** What the server said that was asked last. */
    Known known() {
        return known;
    }

    /** The connection for commands. Complete once the server has said who it is. */
    CompletionStage<StatefulRedisConnection<String, String>> openCommands() {
        return where.get()
                .thenCompose(uri -> client.connectAsync(CODEC, uri))
                .handle((connection, failure) -> {
                    if (failure != null) {
                        throw refusals.refusal(failure);
                    }
                    return connection;
                })
                .thenCompose(this::identify);
    }

    /** Two questions in one round trip. */
    private CompletionStage<StatefulRedisConnection<String, String>> identify(
            StatefulRedisConnection<String, String> connection) {
        CompletableFuture<Long> number = ConnectionMark.number(connection);
        CompletableFuture<String> info =
                NewConnection.answer(connection, connection.async().info());
        return number.thenCompose(known -> learn(connection, info, known)).thenCompose(problem -> {
            connection.setTimeout(lettucesTimeout());
            return refusals.unless(problem, connection);
        });
    }

    /** For how long Lettuce waits for an answer on the connection for commands; zero once we keep the time ourselves. */
    Duration lettucesTimeout() {
        return started ? Duration.ZERO : timeout;
    }

    /** Which server is this? Asked before anything else is sent over a new connection. Says what is wrong with it. */
    CompletionStage<@Nullable Throwable> learn(
            StatefulRedisConnection<String, String> connection, CompletableFuture<String> answer, long number) {
        return answer.handle((info, failure) -> {
            if (failure == null) {
                ServerInfo parsed = ServerInfo.parse(info);
                RedisNode.Identity identity = parsed.identity();
                known = Known.of(connection, identity, MemoryPolicy.of(parsed), number);
                return errors.unfit(parsed);
            }
            if (String.valueOf(failure.getMessage()).startsWith("NOPERM") && !errors.needsInfo()) {
                // One server's locks work without knowing: pushed grants are then confirmed before they are used.
                known = Known.of(connection, RedisNode.Identity.UNKNOWN, MemoryPolicy.UNKNOWN, number);
                return null;
            }
            return failure;
        });
    }
}
