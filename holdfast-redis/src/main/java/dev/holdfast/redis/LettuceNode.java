package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A Redis server over Lettuce: two connections, never a request sent twice. Answers are given on the I/O thread. */
final class LettuceNode implements RedisNode {
    private static final StringCodec CODEC = StringCodec.UTF8;
    /** One slow answer is no reason to give a connection up; this many timeouts without any answer between them are. */
    private static final int SILENT_TIMEOUTS = 2;

    private final RedisClient client;
    private final RedisURI uri;
    private final Duration timeout;
    private final Errors errors;
    private final Runnable afterClose;
    private final LettuceLink<StatefulRedisConnection<String, String>> commands = new LettuceLink<>(this::dial);
    private final LettuceLink<StatefulRedisPubSubConnection<String, String>> inbox = new LettuceLink<>(this::subscribe);
    private final AtomicInteger silentTimeouts = new AtomicInteger();
    private volatile Known known = new Known(null, Identity.UNKNOWN);
    /** Keeps the time of requests once there is time to keep. Until then Lettuce does. */
    private volatile @Nullable Underway underway;

    private @Nullable Listener listener;
    private String channel = "";

    /** Who answers on a connection; read before anything else is sent over it. */
    private record Known(@Nullable Object connection, Identity identity) {}

    /**
     * @param client not used for anything else; its options are those of {@link LettuceClients}
     * @param afterClose lets go of the client
     */
    LettuceNode(RedisClient client, RedisURI uri, Duration timeout, Errors errors, Runnable afterClose) {
        this.client = client;
        this.uri = uri;
        this.timeout = timeout;
        this.errors = errors;
        this.afterClose = afterClose;
    }

    /** The first connection. Blocks for at most a few timeouts, and throws what {@link Errors} makes of a failure. */
    void connect() {
        try {
            connectAsync().join();
        } catch (CompletionException e) {
            throw translate(e.getCause() == null ? e : e.getCause());
        }
    }

    /** The first connection, for callers that wait for several at once. Once {@link #open} was called it is not taken. */
    CompletableFuture<Void> connectAsync() {
        return commands.first();
    }

    private static RuntimeException translate(Throwable failure) {
        return failure instanceof RuntimeException unchecked ? unchecked : new CompletionException(failure);
    }

    @Override
    public String address() {
        return LettuceClients.address(uri);
    }

    @Override
    public void open(Environment environment, Listener listener, String inbox) {
        this.listener = listener;
        this.channel = inbox;
        underway = new Underway(environment, timeout);
        StatefulRedisConnection<String, String> adopted = commands.current();
        if (adopted != null) {
            adopted.setTimeout(lettucesTimeout());
        }
        commands.start(environment, new LettuceLink.Watcher() {
            @Override
            public void opened() {
                listener.reconnected();
            }

            @Override
            public void failed(Throwable why) {
                listener.disturbed(String.valueOf(why.getMessage()));
            }
        });
        this.inbox.start(environment, new LettuceLink.Watcher() {
            @Override
            public void opened() {
                listener.subscribed();
            }

            @Override
            public void failed(Throwable why) {
                listener.notSubscribed(why);
            }
        });
    }

    @Override
    public Identity identity() {
        return known.identity();
    }

    @Override
    public CompletionStage<Identity> identify() {
        StatefulRedisConnection<String, String> connection = commands.current();
        if (connection == null) {
            return CompletableFuture.failedFuture(whyNotConnected());
        }
        CompletableFuture<String> info = new CompletableFuture<>();
        sendOver(connection, CommandType.INFO, Frame.of("INFO"), (reply, failure) -> {
            if (failure == null) {
                info.complete(String.valueOf(reply.get(0)));
            } else {
                info.completeExceptionally(failure);
            }
        });
        return learn(connection, info).thenApply(problem -> {
            if (problem != null) {
                commands.lost(connection);
                throw refusal(problem);
            }
            return identity();
        });
    }

    // ---- requests

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        return run(null, script, keys, arguments);
    }

    @Override
    public CompletionStage<List<Object>> evalAt(Identity server, Script script, String[] keys, String[] arguments) {
        return run(server, script, keys, arguments);
    }

    private CompletionStage<List<Object>> run(
            @Nullable Identity server, Script script, String[] keys, String[] arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        Call call = new Call(script, keys, arguments);
        // What may travel with others is put together on the way, anything else here, where there are more threads.
        send(server, CommandType.EVALSHA, Bundle.takes(script) ? call : call.frame(), (reply, failure) -> {
            if (failure == null) {
                answer.complete(Wire.numbers(reply));
            } else if (isNoScript(failure)) {
                // The server restarted, or somebody flushed its scripts. EVAL also makes it remember this one.
                send(
                        server,
                        CommandType.EVAL,
                        call.teaching(),
                        (taught, problem) -> end(answer, Wire.numbers(taught), problem, script, keys));
            } else {
                end(answer, reply, failure, script, keys);
            }
        });
        return answer;
    }

    @Override
    public CompletionStage<List<Object>> ask(String command, String... arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        send(
                null,
                CommandType.valueOf(command),
                Frame.of(command, arguments),
                (reply, failure) -> end(answer, reply, failure, null));
        return answer;
    }

    private void end(
            CompletableFuture<List<Object>> answer,
            List<Object> reply,
            @Nullable Throwable failure,
            @Nullable Script script,
            String... keys) {
        if (failure == null) {
            answer.complete(reply);
        } else {
            answer.completeExceptionally(explain(failure, script, keys));
        }
    }

    private void send(@Nullable Identity server, CommandType command, Request.Content content, Request.End end) {
        StatefulRedisConnection<String, String> connection = commands.current();
        if (connection == null) {
            end.reached(List.of(), whyNotConnected());
        } else if (server != null && !leadsTo(connection, server)) {
            end.reached(List.of(), errors.notConnected(null));
        } else {
            sendOver(connection, command, content, end);
        }
    }

    private void sendOver(
            StatefulRedisConnection<String, String> connection,
            CommandType command,
            Request.Content content,
            Request.End end) {
        Underway clocked = underway;
        Request request = new Request(command, content, (reply, failure) -> {
            if (clocked != null) {
                clocked.letGo();
            }
            listen(connection, failure);
            end.reached(reply, failure);
        });
        if (clocked != null) {
            clocked.add(request);
        }
        try {
            var unused = connection.dispatch(request);
        } catch (RuntimeException e) {
            request.completeExceptionally(e);
        }
    }

    private boolean leadsTo(Object connection, Identity server) {
        Known now = known;
        return now.connection() == connection && now.identity().equals(server);
    }

    private Throwable whyNotConnected() {
        Throwable failure = commands.failure();
        return failure instanceof NotSentException || failure instanceof RefusedException
                ? failure
                : errors.notConnected(failure);
    }

    /** A connection can be dead without anybody telling us: then requests time out and nothing ever comes back. */
    private void listen(StatefulRedisConnection<String, String> connection, @Nullable Throwable failure) {
        if (failure instanceof RedisCommandTimeoutException) {
            if (silentTimeouts.incrementAndGet() >= SILENT_TIMEOUTS) {
                silentTimeouts.set(0);
                commands.lost(connection);
            }
        } else if (silentTimeouts.get() != 0) {
            silentTimeouts.set(0);
        }
    }

    static boolean isNoScript(Throwable failure) {
        return failure instanceof RedisCommandExecutionException
                && String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
    }

    private Throwable explain(Throwable failure, @Nullable Script script, String... keys) {
        if (failure instanceof NotSentException || failure instanceof RefusedException) {
            return failure;
        }
        if (failure instanceof RedisCommandTimeoutException) {
            return errors.noAnswer(timeout);
        }
        if (failure instanceof RedisCommandExecutionException) {
            Script ran = failure instanceof Bundle.Failure bundled ? bundled.script : script;
            return errors.said(String.valueOf(failure.getMessage()), ran, keys);
        }
        return errors.broken(failure);
    }

    // ---- connections

    private CompletionStage<StatefulRedisConnection<String, String>> dial() {
        return client.connectAsync(CODEC, uri)
                .toCompletableFuture()
                .handle((connection, failure) -> {
                    if (failure != null) {
                        throw refusal(failure);
                    }
                    return connection;
                })
                .thenCompose(connection -> learn(
                                connection, connection.async().info().toCompletableFuture())
                        .thenCompose(problem -> {
                            connection.setTimeout(lettucesTimeout());
                            return unless(problem, connection);
                        }));
    }

    private Duration lettucesTimeout() {
        return underway == null ? timeout : Duration.ZERO;
    }

    /** Which server is this? Asked before anything else is sent over a new connection. Says what is wrong with it. */
    private CompletionStage<@Nullable Throwable> learn(
            StatefulRedisConnection<String, String> connection, CompletableFuture<String> answer) {
        return answer.handle((info, failure) -> {
            if (failure == null) {
                Identity identity = ServerInfo.parse(info).identity();
                known = new Known(connection, identity);
                return ServerInfo.isOlderThanSupported(identity.version()) ? errors.tooOld(identity.version()) : null;
            }
            if (String.valueOf(failure.getMessage()).startsWith("NOPERM")) {
                // One server's locks work without knowing: pushed grants are then confirmed before they are used.
                known = new Known(connection, Identity.UNKNOWN);
                return null;
            }
            return failure;
        });
    }

    /** The connection; but if there is a problem it is closed, and only then told: who hears of it may close us all. */
    private <C extends StatefulConnection<?, ?>> CompletionStage<C> unless(@Nullable Throwable problem, C connection) {
        if (problem == null) {
            return CompletableFuture.completedStage(connection);
        }
        return connection.closeAsync().handle((closed, failure) -> {
            throw refusal(problem);
        });
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe() {
        Listener listening = Objects.requireNonNull(listener, "open() comes first");
        return client.connectPubSubAsync(CODEC, uri)
                .toCompletableFuture()
                .handle((connection, failure) -> {
                    if (failure != null) {
                        throw refusal(failure);
                    }
                    connection.setTimeout(timeout);
                    connection.addListener(new RedisPubSubAdapter<>() {
                        @Override
                        public void message(String from, String text) {
                            listening.message(text);
                        }
                    });
                    return connection;
                })
                .thenCompose(connection -> connection
                        .async()
                        .subscribe(channel)
                        .toCompletableFuture()
                        .<@Nullable Throwable>handle((nothing, failure) -> failure)
                        .thenCompose(problem -> unless(problem, connection)));
    }

    /** Why a connection could not be opened: the server's own words, where it had any. */
    private RuntimeException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedException refused) {
                return refused;
            }
            if (cause instanceof RedisCommandExecutionException) {
                return errors.said(String.valueOf(cause.getMessage()), null, channel);
            }
        }
        return errors.notConnected(rootOf(failure));
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    @Override
    public boolean isSubscribed() {
        return inbox.current() != null;
    }

    @Override
    public void replaceInbox() {
        inbox.replace();
    }

    @Override
    public void close() {
        var unused = CompletableFuture.allOf(inbox.close(), commands.close()).thenRun(afterClose);
    }
}
