package dev.holdfast.cli.connect;

import dev.holdfast.GuardState;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.spi.Failures;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Guards of keys in Redis. */
final class RedisGuards implements Guards {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String label;
    private final AbstractRedisClient client;
    private final RedisFence fence;

    private RedisGuards(String label, AbstractRedisClient client, Supplier<RedisFence> connecting) {
        this.label = label;
        this.client = client;
        this.fence = answered(connecting);
    }

    /** At a server that the URL names, or that sentinels name. */
    static RedisGuards onOneServer(String label, RedisTls tls) {
        RedisClient client = tls.isGiven() ? tls.client() : RedisClient.create();
        return new RedisGuards(label, client, () -> RedisFence.over(client, withTimeout(tls.url())));
    }

    static RedisGuards inCluster(String label, RedisTls tls) {
        RedisClusterClient client = RedisClusterClient.create(ClusterServers.in(tls.url(), PATIENCE));
        if (tls.isGiven()) {
            client.setOptions(
                    ClusterClientOptions.builder().sslOptions(tls.options()).build());
        }
        return new RedisGuards(
                label, client, () -> RedisFence.over(client.connect().sync()));
    }

    /** Lettuce waits a minute for an answer unless the URL says otherwise. */
    private static String withTimeout(String url) {
        return url.contains("timeout=")
                ? url
                : url + (url.contains("?") ? "&" : "?") + "timeout=" + PATIENCE.toSeconds() + "s";
    }

    @Override
    public Optional<GuardState> inspect(String resource) {
        return answered(() -> fence.inspect(resource));
    }

    @Override
    public boolean move(String resource, GuardState shown, int toGeneration, String by) {
        return answered(() -> fence.move(resource, shown, toGeneration, by));
    }

    private <T> T answered(Supplier<T> question) {
        try {
            return question.get();
        } catch (RedisException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "The guards at " + label + " cannot be used: " + reason(e));
        } catch (IllegalStateException unreadable) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "The guards at " + label + " cannot be used: " + Failures.describe(unreadable));
        }
    }

    /** Lettuce says that it could not connect, and its innermost cause why. */
    private static String reason(RedisException failure) {
        Throwable innermost = failure;
        for (int depth = 0; depth < 20 && innermost.getCause() != null; depth++) {
            innermost = innermost.getCause();
        }
        String why = onOneLine(innermost);
        if (why.contains("WRONGPASS") || why.contains("NOAUTH")) {
            return "the server does not accept the user or the password: check them in the URL (the server said: " + why
                    + ")";
        }
        String outer = onOneLine(failure);
        return outer.contains(why) ? outer : outer + ": " + why;
    }

    /** Of a cluster Lettuce gives the reasons as a list. */
    private static String onOneLine(Throwable failure) {
        return Failures.describe(failure).replaceAll("\\s+", " ").strip();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, PATIENCE);
    }
}
