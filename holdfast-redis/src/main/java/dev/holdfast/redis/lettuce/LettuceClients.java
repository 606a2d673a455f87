package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.redis.node.Topology;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes nodes over Lettuce: over threads of our own, or over those of a client the user has. */
public final class LettuceClients {
    /** One for each connection. */
    private static final int IO_THREADS = 2;
    /** Then the server has enough to begin with. */
    private static final int MOST_IN_ONE_WRITE = 256;

    private static final Duration LEAST_DIAL_TIMEOUT = Duration.ofSeconds(2);

    private LettuceClients() {}

    public static LettuceNode node(@Nullable RedisClient users, RedisURI uri, Duration timeout, Keys keys) {
        return node(users, uri, timeout, keys, null);
    }

    static LettuceNode node(
            @Nullable AbstractRedisClient users,
            RedisURI uri,
            Duration timeout,
            Keys keys,
            @Nullable Confirmation confirmation) {
        return nodes(users, List.of(uri), timeout, keys, kindOf(uri), confirmation)
                .get(0);
    }

    static Topology.Kind kindOf(RedisURI uri) {
        return uri.getSentinels().isEmpty() ? Topology.Kind.SINGLE : Topology.Kind.SENTINEL;
    }

    /** @param first of the servers; the others have the same login and TLS settings */
    static LettuceCluster cluster(
            @Nullable AbstractRedisClient users,
            RedisURI first,
            Duration timeout,
            Keys keys,
            @Nullable Confirmation confirmation) {
        Duration dialTimeout = dialTimeout(timeout);
        RedisURI uri = prepared(first, dialTimeout);
        ClientResources resources = users == null
                ? ownResources(Topology.Kind.CLUSTER)
                : sharing(users.getResources(), Topology.Kind.CLUSTER);
        RedisClient client = client(users, resources, uri, dialTimeout);
        return new LettuceCluster(client, uri, timeout, keys, confirmation, () -> {
            var unused = client.shutdownAsync().thenRun(() -> {
                var ignored = resources.shutdown();
            });
        });
    }

    /**
     * How long each step may take by which a connection comes about. The first one meets a cold JVM, and all of them more
     * than a request does: whoever is strict with requests need not be as strict here.
     *
     * @param timeout of a request
     */
    public static Duration dialTimeout(Duration timeout) {
        return timeout.compareTo(LEAST_DIAL_TIMEOUT) > 0 ? timeout : LEAST_DIAL_TIMEOUT;
    }

    /**
     * Nodes of a quorum, which share their threads.
     *
     * @param timeout of a request
     */
    public static List<LettuceNode> nodes(
            @Nullable RedisClient users, List<RedisURI> servers, Duration timeout, Keys keys) {
        Topology.Kind kind = servers.size() > 1 ? Topology.Kind.QUORUM : kindOf(servers.get(0));
        return nodes(users, servers, timeout, keys, kind, null);
    }

    private static List<LettuceNode> nodes(
            @Nullable AbstractRedisClient users,
            List<RedisURI> servers,
            Duration timeout,
            Keys keys,
            Topology.Kind kind,
            @Nullable Confirmation confirmation) {
        Duration dialTimeout = dialTimeout(timeout);
        List<RedisURI> uris =
                servers.stream().map(uri -> prepared(uri, dialTimeout)).toList();
        ClientResources resources = users == null ? ownResources(kind) : sharing(users.getResources(), kind);
        AtomicInteger open = new AtomicInteger(uris.size());
        List<LettuceNode> nodes = new ArrayList<>();
        for (RedisURI uri : uris) {
            RedisClient client = client(users, resources, uri, dialTimeout);
            Errors errors = new Errors(address(uri), keys.prefix(), kind);
            nodes.add(new LettuceNode(client, uri, timeout, errors, confirmation, () -> {
                var unused = client.shutdownAsync().thenRun(() -> {
                    // Of a user's client we only shared what it has, and that stays.
                    if (open.decrementAndGet() == 0) {
                        var ignored = resources.shutdown();
                    }
                });
            }));
        }
        return nodes;
    }

    /** A copy, because the caller's is the caller's. */
    private static RedisURI prepared(RedisURI theirs, Duration dialTimeout) {
        RedisURI uri =
                theirs.getSentinels().isEmpty() ? RedisURI.builder(theirs).build() : sentinels(theirs, dialTimeout);
        uri.setTimeout(dialTimeout);
        // Both would be commands that the least privileged user may not send.
        uri.setLibraryName("");
        uri.setLibraryVersion("");
        return uri;
    }

    private static RedisURI sentinels(RedisURI theirs, Duration dialTimeout) {
        RedisURI uri = withSentinels(
                theirs,
                theirs.getSentinels().stream()
                        .map(sentinel -> prepared(sentinel, dialTimeout))
                        .toList());
        uri.setTimeout(dialTimeout);
        return uri;
    }

    /** A copy with these sentinels. Lettuce's own copy of a URI leaves them out. */
    static RedisURI withSentinels(RedisURI theirs, List<RedisURI> sentinels) {
        RedisURI.Builder builder = RedisURI.builder()
                .withSentinelMasterId(theirs.getSentinelMasterId())
                // Lettuce gives it to the sentinels too, over what they have.
                .withTimeout(sentinels.get(0).getTimeout());
        sentinels.forEach(builder::withSentinel);
        return copied(theirs, builder);
    }

    /** A copy that leads to this server, which sentinels named. */
    static RedisURI withAddress(RedisURI theirs, ServerAddress server) {
        return copied(
                theirs,
                RedisURI.builder()
                        .withHost(server.host())
                        .withPort(server.port())
                        .withTimeout(theirs.getTimeout()));
    }

    private static RedisURI copied(RedisURI theirs, RedisURI.Builder builder) {
        RedisURI uri = builder.withSsl(theirs.isSsl())
                .withStartTls(theirs.isStartTls())
                .withVerifyPeer(theirs.getVerifyMode())
                .withDatabase(theirs.getDatabase())
                .build();
        uri.setCredentialsProvider(theirs.getCredentialsProvider());
        uri.setClientName(theirs.getClientName());
        uri.setLibraryName("");
        uri.setLibraryVersion("");
        return uri;
    }

    private static RedisClient client(
            @Nullable AbstractRedisClient users, ClientResources resources, RedisURI uri, Duration dialTimeout) {
        ClientOptions base = users == null ? ClientOptions.create() : users.getOptions();
        RedisClient client = RedisClient.create(resources, uri);
        client.setOptions(
                users == null && uri.isSsl() ? withCertificate(base, dialTimeout) : options(base, dialTimeout));
        return client;
    }

    private static ClientResources ownResources(Topology.Kind kind) {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(IO_THREADS)
                .computationThreadPoolSize(IO_THREADS)
                .nettyCustomizer(new FewerWrites(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER, kind))
                .build();
    }

    /** The same threads and settings, given one by one: a copy that Lettuce makes has I/O threads of its own. */
    private static ClientResources sharing(ClientResources users, Topology.Kind kind) {
        return DefaultClientResources.builder()
                .eventLoopGroupProvider(users.eventLoopGroupProvider())
                .eventExecutorGroup(users.eventExecutorGroup())
                .timer(users.timer())
                .eventBus(users.eventBus())
                .commandLatencyRecorder(users.commandLatencyRecorder())
                .socketAddressResolver(users.socketAddressResolver())
                .addressResolverGroup(users.addressResolverGroup())
                .tracing(users.tracing())
                .nettyCustomizer(new FewerWrites(users.nettyCustomizer(), kind))
                .build();
    }

    /**
     * A system call for each request costs more than all else that we do for it, so what answers give rise to goes out in
     * one write.
     *
     * @param kind of a quorum, what threads ask waits for others, too: see {@link CoalescingWriter}. With one server that would make
     *     it wait for us and us for it, in turns.
     */
    private record FewerWrites(NettyCustomizer inner, Topology.Kind kind) implements NettyCustomizer {
        @Override
        public void afterBootstrapInitialized(Bootstrap bootstrap) {
            inner.afterBootstrapInitialized(bootstrap);
        }

        @Override
        public void afterChannelInitialized(Channel channel) {
            if (kind == Topology.Kind.QUORUM) {
                // Before Lettuce: what it sees of a batch is one request.
                channel.pipeline().addLast(new CoalescingWriter());
            } else {
                // Next to the socket, but for what the user puts there.
                channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_IN_ONE_WRITE));
            }
            if (kind == Topology.Kind.CLUSTER) {
                channel.pipeline().addLast(new AskingWriter());
            }
            inner.afterChannelInitialized(channel);
        }
    }

    private static ClientOptions withCertificate(ClientOptions base, Duration timeout) {
        return options(
                base.mutate()
                        .sslOptions(ClientCertificate.addTo(base.getSslOptions()))
                        .build(),
                timeout);
    }

    /** What the user set about sockets and TLS stays; what decides over repetition, timeouts and threads is ours. */
    private static ClientOptions options(ClientOptions base, Duration timeout) {
        return MaintenanceNotifications.off(base.mutate())
                .autoReconnect(false)
                // A connection is announced a moment before it takes commands: those sent in that moment wait. When it
                // breaks it is closed, and whatever waits there fails.
                .disconnectedBehavior(DisconnectedBehavior.ACCEPT_COMMANDS)
                .pingBeforeActivateConnection(false)
                .protocolVersion(ProtocolVersion.RESP2)
                .publishOnScheduler(false)
                .requestQueueSize(Integer.MAX_VALUE)
                .timeoutOptions(TimeoutOptions.enabled())
                .socketOptions(base.getSocketOptions()
                        .mutate()
                        .connectTimeout(timeout)
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .build();
    }

    /** Host and port, never the password. */
    public static String address(RedisURI uri) {
        if (uri.getSentinelMasterId() != null) {
            return "sentinel master " + uri.getSentinelMasterId();
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }
}
