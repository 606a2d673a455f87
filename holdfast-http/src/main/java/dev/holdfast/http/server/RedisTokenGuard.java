package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import dev.holdfast.redis.RedisFence;
import java.util.Objects;

/**
 * Newest tokens in Redis, one small key for each resource; needs {@code holdfast-redis}. One command for each request. Blocks as the
 * connection of the fence does: give it a short timeout, because requests wait for it.
 */
public final class RedisTokenGuard implements TokenGuard {
    private final RedisFence fence;

    private RedisTokenGuard(RedisFence fence) {
        this.fence = Objects.requireNonNull(fence, "fence");
    }

    /** Over a fence of yours. Its own generation does not count: each request presents one. */
    public static RedisTokenGuard over(RedisFence fence) {
        return new RedisTokenGuard(fence);
    }

    @Override
    public void announce(String resource, TokenHeader presented) {
        fence.withGeneration(presented.generation()).announce(resource, presented.token());
    }

    @Override
    public String toString() {
        return "RedisTokenGuard";
    }
}
