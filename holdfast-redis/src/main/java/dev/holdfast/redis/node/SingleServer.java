package dev.holdfast.redis.node;

import dev.holdfast.Finding;
import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongFunction;

/** One server keeps everything. Behind sentinels it may be another one with each connection. */
public final class SingleServer implements Topology {
    private final RedisNode node;
    private final Kind kind;

    public SingleServer(RedisNode node) {
        this(node, Kind.SINGLE);
    }

    public SingleServer(RedisNode node, Kind kind) {
        this.node = node;
        this.kind = kind;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String address() {
        return node.address();
    }

    @Override
    public void open(Environment environment, Listener listener, LongFunction<String> inbox) {
        node.open(
                environment,
                new RedisNode.Listener() {
                    @Override
                    public void reconnected() {
                        listener.reconnected(node);
                    }

                    @Override
                    public void notConnected(Throwable why) {
                        listener.notConnected(node, why);
                    }

                    @Override
                    public void subscribed(String channel) {
                        listener.subscribed(channel);
                    }

                    @Override
                    public void notSubscribed(Throwable why) {
                        listener.notSubscribed(why);
                    }

                    @Override
                    public void message(String text) {
                        listener.message(text);
                    }
                },
                inbox);
        listener.connected(node);
    }

    @Override
    public <T> CompletionStage<T> at(String name, Function<ScriptRunner, CompletionStage<T>> request) {
        return request.apply(node);
    }

    @Override
    public int group(String name) {
        return 0;
    }

    @Override
    public List<RedisNode> servers() {
        return List.of(node);
    }

    @Override
    public CompletionStage<List<Finding>> findings() {
        if (kind != Kind.SENTINEL) {
            return CompletableFuture.completedStage(List.of());
        }
        return node.ask("INFO").handle((answer, failure) -> {
            if (failure != null || answer.isEmpty()) {
                return List.<Finding>of();
            }
            ServerInfo info = ServerInfo.parse(String.valueOf(answer.get(0)));
            return List.of(Finding.note(
                    "redis.topology",
                    "Sentinel: the locks are kept by " + address() + ", which listens on port " + info.get("tcp_port")
                            + " now and has " + info.replicas() + ". When it fails, the sentinels choose one of its"
                            + " replicas, and locks that it has not received yet are forgotten."));
        });
    }

    @Override
    public long mark() {
        return node.mark();
    }

    @Override
    public boolean isSubscribed() {
        return node.isSubscribed();
    }

    @Override
    public void replaceInbox() {
        node.replaceInbox();
    }

    @Override
    public void close() {
        node.close();
    }
}
