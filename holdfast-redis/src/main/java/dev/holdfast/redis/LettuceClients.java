package dev.holdfast.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
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
final class LettuceClients {
    /** One for each connection. */
    private static final int IO_THREADS = 2;
    /** Then the server has enough to begin with. */
    private static final int MOST_IN_ONE_WRITE = 256;

    private static final Duration LEAST_DIAL_TIMEOUT = Duration.ofSeconds(2);

    private LettuceClients() {}

    static LettuceNode node(@Nullable RedisClient users, String url, Duration timeout, Keys keys) {
        return nodes(users, List.of(url), timeout, keys).get(0);
    }

    /**
     * How long each step may take by which a connection comes about. The first one meets a cold JVM, and all of them more
     * than a request does: whoever is strict with requests need not be as strict here.
     *
     * @param timeout of a request
     */
    static Duration dialTimeout(Duration timeout) {
        return timeout.compareTo(LEAST_DIAL_TIMEOUT) > 0 ? timeout : LEAST_DIAL_TIMEOUT;
    }

    /**
     * Nodes that share their threads.
     *
     * @param timeout of a request
     */
    static List<LettuceNode> nodes(@Nullable RedisClient users, List<String> urls, Duration timeout, Keys keys) {
        Duration dialTimeout = dialTimeout(timeout);
        List<RedisURI> uris = urls.stream().map(LettuceClients::parse).toList();
        boolean several = urls.size() > 1;
        ClientResources resources = users == null ? ownResources(several) : sharing(users.getResources(), several);
        ClientOptions base = users == null ? ClientOptions.create() : users.getOptions();
        AtomicInteger open = new AtomicInteger(uris.size());
        List<LettuceNode> nodes = new ArrayList<>();
        for (RedisURI uri : uris) {
            uri.setTimeout(dialTimeout);
            // Both would be commands that the least privileged user may not send.
            uri.setLibraryName("");
            uri.setLibraryVersion("");
            RedisClient client = RedisClient.create(resources, uri);
            client.setOptions(options(base, dialTimeout));
            Errors errors = new Errors(address(uri), keys.prefix());
            nodes.add(new LettuceNode(client, uri, timeout, errors, () -> {
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

    private static RedisURI parse(String url) {
        try {
            return RedisURI.create(url);
        } catch (IllegalArgumentException e) {
            // Not with the URL: it may hold a password.
            throw new IllegalArgumentException(
                    "This is not the URL of a Redis server; it should look like redis://host:6379 or"
                            + " rediss://user:password@host:6379/0",
                    e);
        }
    }

    private static ClientResources ownResources(boolean several) {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(IO_THREADS)
                .computationThreadPoolSize(IO_THREADS)
                .nettyCustomizer(new FewerWrites(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER, several))
                .build();
    }

    /** The same threads and settings, given one by one: a copy that Lettuce makes has I/O threads of its own. */
    private static ClientResources sharing(ClientResources users, boolean several) {
        return DefaultClientResources.builder()
                .eventLoopGroupProvider(users.eventLoopGroupProvider())
                .eventExecutorGroup(users.eventExecutorGroup())
                .timer(users.timer())
                .eventBus(users.eventBus())
                .commandLatencyRecorder(users.commandLatencyRecorder())
                .socketAddressResolver(users.socketAddressResolver())
                .addressResolverGroup(users.addressResolverGroup())
                .tracing(users.tracing())
                .nettyCustomizer(new FewerWrites(users.nettyCustomizer(), several))
                .build();
    }

    /**
     * A system call for each request costs more than all else that we do for it, so what answers give rise to goes out in
     * one write.
     *
     * @param several whether what threads ask waits for others, too: see {@link EndOfTurn}. With one server that would make
     *     it wait for us and us for it, in turns.
     */
    private record FewerWrites(NettyCustomizer inner, boolean several) implements NettyCustomizer {
        @Override
        public void afterBootstrapInitialized(Bootstrap bootstrap) {
            inner.afterBootstrapInitialized(bootstrap);
        }

        @Override
        public void afterChannelInitialized(Channel channel) {
            if (several) {
                // Before Lettuce: what it sees of a bundle is one request.
                channel.pipeline().addLast(new EndOfTurn());
            } else {
                // Next to the socket, but for what the user puts there.
                channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_IN_ONE_WRITE));
            }
            inner.afterChannelInitialized(channel);
        }
    }

    /** What the user set about sockets and TLS stays; what decides over repetition, timeouts and threads is ours. */
    private static ClientOptions options(ClientOptions base, Duration timeout) {
        return base.mutate()
                .autoReconnect(false)
                // A connection is announced a moment before it takes commands: those sent in that moment wait. When it
                // breaks it is closed, and whatever waits there fails.
                .disconnectedBehavior(DisconnectedBehavior.ACCEPT_COMMANDS)
                .pingBeforeActivateConnection(false)
                .protocolVersion(ProtocolVersion.RESP2)
                .publishOnScheduler(false)
                .requestQueueSize(Integer.MAX_VALUE)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.enabled())
                .socketOptions(base.getSocketOptions()
                        .mutate()
                        .connectTimeout(timeout)
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .build();
    }

    /** Host and port of a URL, never the password. */
    static String address(String url) {
        return address(parse(url));
    }

    /** Host and port, never the password. */
    static String address(RedisURI uri) {
        if (uri.getSentinelMasterId() != null) {
            return "sentinel master " + uri.getSentinelMasterId();
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }
}
