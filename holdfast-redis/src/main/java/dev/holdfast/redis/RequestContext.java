package dev.holdfast.redis;

import dev.holdfast.redis.node.RedisNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an operation at one server may need beside its own: {@code window run_id}. It is the same for every request over one
 * connection, and one argument, because the server pays for each, and most requests need none of it.
 */
final class RequestContext {
    private record Written(RedisNode.Identity server, String text) {}

    private final Duration window;
    private volatile @Nullable Written last;

    RequestContext(Duration window) {
        this.window = window;
    }

    String at(RedisNode.Identity server) {
        Written known = last;
        if (known == null || !known.server.equals(server)) {
            known = new Written(server, window.toMillis() + " " + server.runId());
            last = known;
        }
        return known.text;
    }
}
