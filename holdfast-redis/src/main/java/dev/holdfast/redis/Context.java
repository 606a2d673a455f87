package dev.holdfast.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an operation at one server may need beside its own: {@code window run_id counted inbox}. It is the same for every
 * request over one connection, and one argument, because the server pays for each, and most requests need none of it.
 */
final class Context {
    private record Written(RedisNode.Identity server, String text) {}

    private final Duration window;
    private final String inbox;
    private volatile @Nullable Written last;

    private Context(Duration window, String inbox) {
        this.window = window;
        this.inbox = inbox;
    }

    /** Of requests that never queue. */
    static Context passing(Duration window) {
        return new Context(window, "");
    }

    Context withInbox(String channel) {
        return new Context(window, channel);
    }

    String at(RedisNode.Identity server) {
        Written known = last;
        if (known == null || !known.server.equals(server)) {
            String counted = server.countsReceivers() ? "1" : "0";
            known = new Written(server, window.toMillis() + " " + server.runId() + " " + counted + " " + inbox);
            last = known;
        }
        return known.text;
    }
}
