package dev.holdfast.redis.node;

import dev.holdfast.spi.Environment;
import java.util.function.LongFunction;

/** An inbox that belongs to no one server: it is subscribed wherever it can be, and restores itself. */
public interface Subscription extends AutoCloseable {
    /** Hears what happens to it. As in {@link RedisNode.Listener}. */
    interface Listener {
        void subscribed(String channel);

        void notSubscribed(Throwable why);

        void message(String text);
    }

    /** Called once, before anything below. The channel as in {@link RedisNode#open}. */
    void open(Environment environment, Listener listener, LongFunction<String> inbox);

    boolean isSubscribed();

    /** Subscribes over a new connection, and closes the old one once that is confirmed. */
    void replace();

    @Override
    void close();
}
