package dev.holdfast.redis.testing;

import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.quorum.ServerList;
import dev.holdfast.spi.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server that answers when and what the test says, so that time and the order of things are the test's. */
public final class FakeNode implements RedisNode {
    public record Request(
            Script script, List<String> keys, List<String> arguments, CompletableFuture<List<Object>> answer) {
        public String owner() {
            return arguments.get(1);
        }

        public void answer(Object... values) {
            answer.complete(Arrays.asList(values));
        }
    }

    /** Of a quorum of such servers. */
    public static final ServerList LIST = ServerList.of(List.of("a:1", "b:2", "c:3", "d:4", "e:5"));

    public final Deque<Request> requests = new ArrayDeque<>();
    public Identity identity = new Identity("run-1", "", "7.0.15", true);
    public MemoryPolicy memory = new MemoryPolicy(true, false, "noeviction", 0);
    /** The server's clock against ours. */
    public long offsetMicros = 1_000_000_000;

    public String address = "fake";
    /** Whether it is connected as soon as it is opened. */
    public boolean connectsAtOnce;

    public Environment environment;
    public Listener listener;
    public boolean subscribed = true;
    /** What it answers to every request at once; if this is empty, the test answers each. */
    public List<Object> ready = List.of();

    public int inboxesReplaced;
    private LongFunction<String> channels = mark -> "";
    private long connections;
    /** Looks after claims that wait: answered at once, unless the test sets another answer. Not among the requests. */
    public final List<Request> looks = new ArrayList<>();

    public List<Object> lookAnswer = List.of(1L);
    public boolean echoes = true;
    public int identified;

    /** Three servers of a quorum, each with an identity of its own. */
    public static List<FakeNode> three(Environment environment) {
        return Stream.of("run-0", "run-1", "run-2")
                .map(runId -> {
                    FakeNode node = new FakeNode();
                    node.environment = environment;
                    node.identity = new Identity(runId, "", "7.0.15", true);
                    return node;
                })
                .toList();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void open(Environment environment, Listener listener, @Nullable LongFunction<String> inbox) {
        this.environment = environment;
        this.listener = listener;
        if (connectsAtOnce) {
            listener.reconnected();
        }
        if (inbox != null) {
            this.channels = inbox;
            subscribe();
        }
    }

    /** A new connection of the inbox, with a channel of its own. */
    public void subscribe() {
        listener.subscribed(channels.apply(++connections));
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public MemoryPolicy memory() {
        return memory;
    }

    public long micros() {
        return environment.nanoTime() / 1000 + offsetMicros;
    }

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        Request request = new Request(script, List.of(keys), List.of(arguments), new CompletableFuture<>());
        if (script == Script.LOOK) {
            looks.add(request);
            request.answer().complete(lookAnswer);
            if (echoes) {
                listener.message(arguments[1]);
            }
            return request.answer();
        }
        requests.add(request);
        if (!ready.isEmpty()) {
            request.answer().complete(ready);
        }
        return request.answer();
    }

    @Override
    public CompletionStage<List<Object>> evalAt(Identity server, Script script, String[] keys, String[] arguments) {
        return eval(script, keys, arguments);
    }

    @Override
    public CompletionStage<Identity> identify() {
        identified++;
        return CompletableFuture.completedStage(identity);
    }

    @Override
    public CompletionStage<List<Object>> ask(String command, String... arguments) {
        return CompletableFuture.completedStage(
                List.of(Long.toString(micros() / 1_000_000), Long.toString(micros() % 1_000_000)));
    }

    @Override
    public boolean isSubscribed() {
        return subscribed;
    }

    @Override
    public void replaceInbox() {
        inboxesReplaced++;
    }

    /** The next request, which has to be of this kind. */
    public Request next(Script script) {
        Request request = requests.remove();
        if (request.script() != script) {
            throw new AssertionError("Expected " + script + ", was " + request.script());
        }
        return request;
    }

    @Override
    public void close() {}
}
