package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.ClusterConnections;
import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.redis.node.Subscription;
import dev.holdfast.redis.node.Topology;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connections to the servers of a cluster, with the login and the TLS settings of its first address. */
final class LettuceCluster implements ClusterConnections {
    private final RedisClient client;
    private final RedisURI model;
    private final Duration timeout;
    private final Keys keys;
    private final @Nullable Confirmation confirmation;
    private final Runnable afterClose;
    /** What was made and is not closed yet, and one for ourselves. */
    private final AtomicInteger open = new AtomicInteger(1);

    /** @param model all that a server's URI says but its address */
    LettuceCluster(
            RedisClient client,
            RedisURI model,
            Duration timeout,
            Keys keys,
            @Nullable Confirmation confirmation,
            Runnable afterClose) {
        this.client = client;
        this.model = model;
        this.timeout = timeout;
        this.keys = keys;
        this.confirmation = confirmation;
        this.afterClose = afterClose;
    }

    @Override
    public RedisNode server(ServerAddress address) {
        open.incrementAndGet();
        return new LettuceNode(
                client, uri(address), timeout, errors(address.toString()), confirmation, this::closedOne);
    }

    @Override
    public Subscription inbox(Supplier<ServerAddress> where) {
        open.incrementAndGet();
        // With its address, the number that a server gave a connection tells it from those of other servers.
        AtomicReference<String> last = new AtomicReference<>("");
        Supplier<CompletionStage<RedisURI>> next = () -> {
            ServerAddress address = where.get();
            last.set(address.toString());
            return CompletableFuture.completedStage(uri(address));
        };
        Refusals refusals = new Refusals(errors("a server of the cluster"));
        InboxOpener opener = new InboxOpener(next, last::get, new Subscriber(client, timeout, refusals));
        return new LettuceInbox(opener, this::closedOne);
    }

    private Errors errors(String address) {
        return new Errors(address, keys.prefix(), Topology.Kind.CLUSTER);
    }

    private RedisURI uri(ServerAddress address) {
        RedisURI uri = RedisURI.builder(model).build();
        uri.setHost(address.host());
        uri.setPort(address.port());
        return uri;
    }

    private void closedOne() {
        if (open.decrementAndGet() == 0) {
            afterClose.run();
        }
    }

    @Override
    public void close() {
        closedOne();
    }
}
