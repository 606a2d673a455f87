package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedirectException;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.RequestBatch;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server over Lettuce: a connection for commands and, unless it needs none, one for the inbox; never a request sent twice.
 * Answers are given on the I/O thread.
 */
public final class LettuceNode implements RedisNode {
    /** One slow answer is no reason to give a connection up; this many timeouts without any answer between them are. */
    private static final int SILENT_TIMEOUTS = 2;

    private final RedisURI uri;
    private final Duration timeout;
    private final Errors errors;
    private final Runnable afterClose;
    private final MasterFinder where;
    /** Null: there are no sentinels, or somebody else hears them and lets this node {@link #review} its connections. */
    private final @Nullable SentinelWatch sentinels;

    private final ConnectionOpener opener;
    private final LettuceLink<StatefulRedisConnection<String, String>> commands;
    private final LettuceInbox inbox;
    /** For grants that have to be confirmed, over a connection of their own. */
    private final @Nullable ConfirmedClaims confirmed;

    private final AtomicInteger silentTimeouts = new AtomicInteger();
    /** The run_id of the last server; written by {@link #open} and then by the watcher, one call after the other. */
    private volatile String leadsTo = "";
    /** Keeps the time of requests once there is time to keep. Until then Lettuce does. */
    private volatile @Nullable RequestTimeouts timeouts;

    /**
     * @param client not used for anything else; its options are those of {@link LettuceClients}
     * @param afterClose lets go of the client
     */
    LettuceNode(RedisClient client, RedisURI uri, Duration timeout, Errors errors, Runnable afterClose) {
        this(client, uri, timeout, errors, null, afterClose);
    }

    /** @param confirmation what grants have to wait for */
    LettuceNode(
            RedisClient client,
            RedisURI uri,
            Duration timeout,
            Errors errors,
            @Nullable Confirmation confirmation,
            Runnable afterClose) {
        this(client, uri, timeout, errors, confirmation, watch(client, uri, timeout, errors), null, afterClose);
    }

    private static @Nullable SentinelWatch watch(RedisClient client, RedisURI uri, Duration timeout, Errors errors) {
        return uri.getSentinels().isEmpty() ? null : new SentinelWatch(client, uri, timeout, new Refusals(errors));
    }

    /**
     * @param own started and closed with this node
     * @param others somebody else's
     */
    private LettuceNode(
            RedisClient client,
            RedisURI uri,
            Duration timeout,
            Errors errors,
            @Nullable Confirmation confirmation,
            @Nullable SentinelWatch own,
            @Nullable SentinelWatch others,
            Runnable afterClose) {
        this.confirmed = confirmation == null
                ? null
                : new ConfirmedClaims(
                        new LettuceNode(client, uri, timeout, errors, null, null, own, () -> {}), confirmation);
        this.uri = uri;
        this.timeout = timeout;
        this.errors = errors;
        this.afterClose = afterClose;
        this.sentinels = own;
        SentinelWatch heard = own != null ? own : others;
        Supplier<SentinelWatch.Announcement> announced =
                () -> heard == null ? SentinelWatch.Announcement.NONE : heard.announced();
        AtomicInteger attempts = new AtomicInteger();
        this.where = new MasterFinder(client, uri, announced, attempts);
        this.opener = new ConnectionOpener(client, where, timeout, errors);
        this.commands = new LettuceLink<>(opener::openCommands, where::isOutdated);
        MasterFinder whereInbox = new MasterFinder(client, uri, announced, attempts);
        this.inbox = new LettuceInbox(
                new InboxOpener(
                        whereInbox, () -> identity().runId(), new Subscriber(client, timeout, new Refusals(errors))),
                whereInbox::isOutdated,
                () -> {});
    }

    /** The first connection. Blocks for at most a few timeouts, and throws what {@link Errors} makes of a failure. */
    public void connect() {
        try {
            connectAsync().join();
        } catch (CompletionException e) {
            throw translate(e.getCause() == null ? e : e.getCause());
        }
    }

    /** The first connection, for callers that wait for several at once. Once {@link #open} was called it is not taken. */
    @Override
    public CompletableFuture<Void> connectAsync() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        attempt(where.size(), first);
        return confirmed == null ? first : CompletableFuture.allOf(first, confirmed.connectAsync());
    }

    /** One attempt, or one with each of the sentinels. */
    @SuppressWarnings("NullAway") // The only value of Void.
    private void attempt(int attempts, CompletableFuture<Void> first) {
        var unused = commands.first().whenComplete((done, failure) -> {
            if (failure == null) {
                first.complete(null);
            } else if (attempts == 1 || Failures.unwrap(failure) instanceof RefusedException) {
                first.completeExceptionally(failure);
            } else {
                attempt(attempts - 1, first);
            }
        });
    }

    private static RuntimeException translate(Throwable failure) {
        return failure instanceof RuntimeException unchecked ? unchecked : new CompletionException(failure);
    }

    @Override
    public String address() {
        return LettuceClients.address(uri);
    }

    @Override
    public void open(Environment environment, Listener listener, @Nullable LongFunction<String> channels) {
        opener.start();
        timeouts = new RequestTimeouts(environment, timeout);
        StatefulRedisConnection<String, String> adopted = commands.current();
        if (adopted != null) {
            adopted.setTimeout(opener.lettucesTimeout());
            leadsTo = identity().runId();
        }
        commands.start(environment, new LettuceLink.Watcher<>() {
            @Override
            public void opened(StatefulRedisConnection<String, String> connection) {
                followWithInbox();
                listener.reconnected();
            }

            @Override
            public void failed(Throwable why) {
                listener.notConnected(why);
            }
        });
        if (channels != null) {
            inbox.open(environment, listener, channels);
        }
        if (confirmed != null) {
            confirmed.open(environment);
        }
        if (sentinels != null) {
            sentinels.start(environment, this::review);
        }
    }

    /** Another server may be the master now. What leads to the last one is left, with all that is under way there. */
    void review() {
        commands.review();
        inbox.review();
        if (confirmed != null) {
            confirmed.review();
        }
    }

    /**
     * Behind sentinels a new connection may lead to another server. What that one publishes is counted there, so the inbox has to
     * go along, though its own connection may still stand.
     */
    private void followWithInbox() {
        String before = leadsTo;
        String now = identity().runId();
        leadsTo = now;
        if (!before.isEmpty() && !before.equals(now) && inbox.isSubscribed()) {
            inbox.replace();
        }
    }

    @Override
    public Identity identity() {
        return opener.known().identity();
    }

    @Override
    public long mark() {
        return opener.known().mark();
    }

    @Override
    public MemoryPolicy memory() {
        return opener.known().memory();
    }

    @Override
    public CompletionStage<Identity> identify() {
        StatefulRedisConnection<String, String> connection = commands.current();
        if (connection == null) {
            return CompletableFuture.failedFuture(whyNotConnected());
        }
        CompletableFuture<String> info = new CompletableFuture<>();
        sendOver(connection, false, CommandType.INFO, Frame.of("INFO"), (reply, failure) -> {
            if (failure == null) {
                info.complete(String.valueOf(reply.get(0)));
            } else {
                info.completeExceptionally(failure);
            }
        });
        ConnectionOpener.Known now = opener.known();
        long number = now.connection() == connection ? now.number() : 0;
        return opener.learn(connection, info, number).thenApply(problem -> {
            if (problem != null) {
                commands.lost(connection);
                throw new Refusals(errors).refusal(problem);
            }
            return identity();
        });
    }

    // ---- requests

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        return run(Way.ANY, script, keys, arguments);
    }

    @Override
    public CompletionStage<List<Object>> evalAt(Identity server, Script script, String[] keys, String[] arguments) {
        return run(new Way(server, false), script, keys, arguments);
    }

    @Override
    public ScriptRunner asking() {
        return new ScriptRunner() {
            @Override
            public String address() {
                return LettuceNode.this.address();
            }

            @Override
            public Identity identity() {
                return LettuceNode.this.identity();
            }

            @Override
            public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
                return run(Way.ANY_ASKING, script, keys, arguments);
            }

            @Override
            public ScriptRunner claims() {
                return confirmed == null ? this : confirmed.asking();
            }
        };
    }

    @Override
    public ScriptRunner claims() {
        return confirmed == null ? this : confirmed;
    }

    /** The connection for commands; null: there is none at the moment. */
    @Nullable
    StatefulRedisConnection<String, String> connection() {
        return commands.current();
    }

    /** As {@link #ask}, over that connection and no other. Takes commands that Lettuce does not know: the frame says what is sent. */
    CompletionStage<List<Object>> askOver(
            StatefulRedisConnection<String, String> connection, String command, String... arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        sendOver(
                connection,
                false,
                CommandType.WAIT,
                Frame.of(command, arguments),
                (reply, failure) -> end(answer, reply, failure, null));
        return answer;
    }

    /**
     * Over which connection a request goes.
     *
     * @param server if set, only to this one
     * @param asking whether ASKING comes before it
     */
    private record Way(@Nullable Identity server, boolean asking) {
        static final Way ANY = new Way(null, false);
        static final Way ANY_ASKING = new Way(null, true);
    }

    private CompletionStage<List<Object>> run(Way way, Script script, String[] keys, String[] arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        Call call = new Call(script, keys, arguments);
        // What may travel with others is put together on the way, anything else here, where there are more threads.
        send(way, CommandType.EVALSHA, RequestBatch.takes(script) ? call : call.frame(), (reply, failure) -> {
            if (failure == null) {
                answer.complete(Wire.numbers(reply));
            } else if (isNoScript(failure)) {
                // The server restarted, or somebody flushed its scripts. EVAL also makes it remember this one.
                send(
                        way,
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
                Way.ANY,
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

    private void send(Way way, CommandType command, Request.Content content, Request.End end) {
        StatefulRedisConnection<String, String> connection = commands.current();
        if (connection == null) {
            end.reached(List.of(), whyNotConnected());
        } else if (way.server() != null && !leadsTo(connection, way.server())) {
            end.reached(List.of(), errors.notConnected(null));
        } else {
            sendOver(connection, way.asking(), command, content, end);
        }
    }

    private void sendOver(
            StatefulRedisConnection<String, String> connection,
            boolean asking,
            CommandType command,
            Request.Content content,
            Request.End end) {
        RequestTimeouts timed = timeouts;
        Request request = new Request(command, content, asking, (reply, failure) -> {
            if (timed != null) {
                timed.forgetAnswered();
            }
            listen(connection, failure);
            end.reached(reply, failure);
        });
        if (timed != null) {
            timed.add(request);
        }
        try {
            var unused = connection.dispatch(request);
        } catch (RuntimeException e) {
            request.completeExceptionally(e);
        }
    }

    private boolean leadsTo(Object connection, Identity server) {
        ConnectionOpener.Known now = opener.known();
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
        if (failure instanceof RedisCommandExecutionException
                && errors.isDemotion(String.valueOf(failure.getMessage()))) {
            commands.lost(connection);
        }
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
            RedirectException redirect = errors.redirect(String.valueOf(failure.getMessage()), uri.getHost());
            if (redirect != null) {
                return redirect;
            }
            Script ran = failure instanceof BatchedRequest.Failure batched ? batched.script : script;
            return errors.said(String.valueOf(failure.getMessage()), ran, keys);
        }
        return errors.broken(failure);
    }

    @Override
    public boolean isSubscribed() {
        return inbox.isSubscribed();
    }

    @Override
    public void replaceInbox() {
        inbox.replace();
    }

    @Override
    public void close() {
        var unused = closeAsync();
    }

    CompletableFuture<Void> closeAsync() {
        CompletableFuture<Void> others =
                confirmed == null ? CompletableFuture.completedFuture(null) : confirmed.closeAsync();
        CompletableFuture<Void> watch =
                sentinels == null ? CompletableFuture.completedFuture(null) : sentinels.closeAsync();
        return CompletableFuture.allOf(inbox.closeAsync(), commands.close(), others, watch)
                .thenRun(afterClose);
    }
}
