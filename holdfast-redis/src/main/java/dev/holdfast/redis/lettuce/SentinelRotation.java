package dev.holdfast.redis.lettuce;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The URI for the next attempt to connect. Behind sentinels another one of them comes first each time: Lettuce goes on to the next one
 * only if a connection fails, so one that accepts connections and answers nothing would keep everybody for ever.
 */
final class SentinelRotation implements Supplier<RedisURI> {
    private final RedisURI uri;
    private final AtomicInteger attempts = new AtomicInteger();

    SentinelRotation(RedisURI uri) {
        this.uri = uri;
    }

    /** After how many attempts each of them has come first. */
    int size() {
        return Math.max(1, uri.getSentinels().size());
    }

    @Override
    public RedisURI get() {
        if (size() == 1) {
            return uri;
        }
        List<RedisURI> rotated = new ArrayList<>(uri.getSentinels());
        Collections.rotate(rotated, -Math.floorMod(attempts.getAndIncrement(), rotated.size()));
        return LettuceClients.withSentinels(uri, rotated);
    }
}
