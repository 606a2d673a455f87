package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A server that answers when and what the test says, so that time and the order of things are the test's. */
final class FakeNode implements RedisNode {
    record Request(Script script, List<String> arguments, CompletableFuture<List<Object>> answer) {
        String owner() {
            return arguments.get(1);
        }

        void answer(Object... values) {
            answer.complete(Arrays.asList(values));
        }
    }

    final Deque<Request> requests = new ArrayDeque<>();
    Identity identity = new Identity("run-1", "", "7.0.15", true);
    /** The server's clock against ours. */
    long offsetMicros = 1_000_000_000;

    Environment environment;
    Listener listener;
    boolean subscribed = true;
    /** What it answers to every request at once; if this is empty, the test answers each. */
    List<Object> ready = List.of();

    int inboxesReplaced;
    int identified;

    @Override
    public String address() {
        return "fake";
    }

    @Override
    public void open(Environment environment, Listener listener, String inbox) {
        this.environment = environment;
        this.listener = listener;
        listener.subscribed();
    }

    @Override
    public Identity identity() {
        return identity;
    }

    long micros() {
        return environment.nanoTime() / 1000 + offsetMicros;
    }

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        Request request = new Request(script, List.of(arguments), new CompletableFuture<>());
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
    Request next(Script script) {
        Request request = requests.remove();
        if (request.script() != script) {
            throw new AssertionError("Expected " + script + ", was " + request.script());
        }
        return request;
    }

    @Override
    public void close() {}
}
