package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Subscription;
import dev.holdfast.spi.Environment;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

/** The connection on which pushes arrive. Kept alive by itself. */
final class LettuceInbox implements Subscription {
    private final InboxOpener opener;
    private final Runnable afterClose;
    private final LettuceLink<StatefulRedisPubSubConnection<String, String>> link;

    /** @param afterClose once its last connection is closed */
    LettuceInbox(InboxOpener opener, Runnable afterClose) {
        this(opener, () -> false, afterClose);
    }

    /** @param outdated as of {@link LettuceLink} */
    LettuceInbox(InboxOpener opener, BooleanSupplier outdated, Runnable afterClose) {
        this.opener = opener;
        this.afterClose = afterClose;
        this.link = new LettuceLink<>(opener::open, outdated);
    }

    @Override
    public void open(Environment environment, Listener listener, LongFunction<String> inbox) {
        opener.start(listener, inbox);
        link.start(environment, new LettuceLink.Watcher<>() {
            @Override
            public void opened(StatefulRedisPubSubConnection<String, String> connection) {
                String channel = opener.channelOf(connection);
                // If there is none, this connection is lost already, and the next one is on its way.
                if (channel != null) {
                    listener.subscribed(channel);
                }
            }

            @Override
            public void failed(Throwable why) {
                listener.notSubscribed(why);
            }
        });
    }

    @Override
    public boolean isSubscribed() {
        return link.current() != null;
    }

    @Override
    public void replace() {
        link.replace();
    }

    /** As of {@link LettuceLink#review}, once there is an inbox. */
    void review() {
        if (opener.isStarted()) {
            link.review();
        }
    }

    @Override
    public void close() {
        var unused = closeAsync().thenRun(afterClose);
    }

    CompletableFuture<Void> closeAsync() {
        return link.close();
    }
}
