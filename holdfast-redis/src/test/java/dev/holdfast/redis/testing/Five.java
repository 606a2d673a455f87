package dev.holdfast.redis.testing;

import dev.holdfast.redis.RedlockBackend;
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
    private final Duration maxLease;

    private Five(int count, Duration maxLease) {
        this.maxLease = maxLease;
        for (int i = 0; i < count; i++) {
            servers.add(RedisServer.embedded());
        }
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

    public static String url(List<Integer> ports) {
        return "redlock://" + ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    public RedisServer get(int index) {
        return servers.get(index);
    }

    @Override
    public void close() {
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
