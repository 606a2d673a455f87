package dev.holdfast.redis.testing;

import dev.holdfast.redis.RedlockBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Five independent servers, or another number of them, that vote. */
public final class Five implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    public final List<RedisServer> servers = new ArrayList<>();
    private final List<Proxy> proxies = new ArrayList<>();
    private final Duration maxLease;

    private Five(int count, Duration maxLease) {
        this.maxLease = maxLease;
        for (int i = 0; i < count; i++) {
            servers.add(RedisServer.embedded());
        }
    }

    /** One of them keeps its data over a restart. */
    public Five withDurable(int index) {
        servers.set(index, RedisServer.durable());
        return this;
    }

    public static Five servers() {
        return new Five(5, Duration.ofSeconds(60));
    }

    public static Five servers(int count, Duration maxLease) {
        return new Five(count, maxLease);
    }

    public Five start() {
        servers.parallelStream().forEach(RedisServer::start);
        RedlockBackend.builder(url()).maxLease(maxLease).initialise();
        return this;
    }

    public String url() {
        return url(servers.stream().map(RedisServer::port).toList());
    }

    /** A server behind a proxy goes by its own address. */
    public static String url(List<Integer> ports) {
        return "redlock://" + ports.stream().map(Five::named).collect(Collectors.joining(","));
    }

    private static String named(int port) {
        int target = Proxy.targetOf(port);
        return (target == port ? "" : "127.0.0.1:" + target + "=") + "127.0.0.1:" + port;
    }

    /** A proxy in front of each of them, for faults of the network. Closed with the servers. */
    public List<Proxy> proxies() {
        if (proxies.isEmpty()) {
            servers.forEach(server -> proxies.add(new Proxy(server.port())));
        }
        return proxies;
    }

    /** Through the proxies. */
    public String proxiedUrl() {
        return url(proxies().stream().map(Proxy::port).toList());
    }

    public RedisServer get(int index) {
        return servers.get(index);
    }

    @Override
    public void close() {
        for (Proxy proxy : proxies) {
            try {
                proxy.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        servers.forEach(RedisServer::close);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }
}
