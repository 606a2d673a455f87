package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.Passwords;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;

/** Redis: one server, the master that sentinels name, or a cluster. */
record RedisStore(String url) implements Store {
    @Override
    public String label() {
        return Passwords.mask(url);
    }

    @Override
    public LockBackend backend() {
        RedisTls tls = tls();
        RedisBackend.Builder builder =
                tls.isGiven() ? RedisBackend.over(tls.client(), tls.url()) : RedisBackend.builder(tls.url());
        return builder.connect();
    }

    @Override
    public Guards guards() {
        return scheme().endsWith("+cluster")
                ? RedisGuards.inCluster(label(), tls())
                : RedisGuards.onOneServer(label(), tls());
    }

    private RedisTls tls() {
        return RedisTls.of(url, scheme().startsWith("rediss"));
    }

    private String scheme() {
        return url.substring(0, url.indexOf(':'));
    }

    @Override
    public String initialise() {
        backend().close();
        return "Nothing to do: Redis needs no preparation, and it answers.";
    }
}
