package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Hears from sentinels that another server is the master now. Whoever sends nothing does not notice that its master stands still, and
 * would find it a master as before when it goes on, though its replica has taken over.
 *
 * <p>All sentinels are heard: one on the machine of the master may stand still together with it. One that does not permit it is not
 * asked again.
 */
final class SentinelWatch {
    /**
     * That a server is the master now.
     *
     * @param number another one each time, also if it is the same server; zero: nothing was announced yet
     */
    record Announcement(long number, ServerAddress master) {
        static final Announcement NONE = new Announcement(0, new ServerAddress("", 0));
    }

    private static final String CHANNEL = "+switch-master";

    private final RedisClient client;
    private final String master;
    private final Duration timeout;
    private final Refusals refusals;
    private final List<LettuceLink<StatefulRedisPubSubConnection<String, String>>> links;
    /** Written on the threads of the connections. */
    private volatile Announcement announced = Announcement.NONE;

    private final AtomicLong announcements = new AtomicLong();
    /** Written once, before the links are started. */
    private volatile Runnable onSwitch = () -> {};

    SentinelWatch(RedisClient client, RedisURI uri, Duration timeout, Refusals refusals) {
        this.client = client;
        this.master = uri.getSentinelMasterId();
        this.timeout = timeout;
        this.refusals = refusals;
        this.links = uri.getSentinels().stream()
                .map(sentinel -> new LettuceLink<>(() -> open(sentinel)))
                .toList();
    }

    /** @param onSwitch called after {@link #announced} has changed */
    void start(Environment environment, Runnable onSwitch) {
        this.onSwitch = onSwitch;
        links.forEach(link -> link.start(environment, new LettuceLink.Watcher<>() {
            @Override
            public void opened(StatefulRedisPubSubConnection<String, String> connection) {}

            @Override
            public void failed(Throwable why) {
                if (why instanceof RefusedException) {
                    var unused = link.close();
                }
            }
        }));
    }

    /** The last one. */
    Announcement announced() {
        return announced;
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> open(RedisURI sentinel) {
        return client.connectPubSubAsync(ConnectionOpener.CODEC, sentinel)
                .toCompletableFuture()
                .handle((connection, failure) -> {
                    if (failure != null) {
                        throw refusals.refusal(failure);
                    }
                    connection.setTimeout(timeout);
                    return connection;
                })
                .thenCompose(this::subscribe);
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
            StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String text) {
                heard(text);
            }
        });
        return connection
                .async()
                .subscribe(CHANNEL)
                .toCompletableFuture()
                .<@Nullable Throwable>handle((nothing, failure) -> failure)
                .thenCompose(problem -> refusals.unless(problem, connection));
    }

    /** @param text name, host and port before, host and port now */
    private void heard(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length == 5 && parts[0].equals(master) && parts[4].matches("\\d{1,5}")) {
            ServerAddress now = new ServerAddress(parts[3], Integer.parseInt(parts[4]));
            announced = new Announcement(announcements.incrementAndGet(), now);
            onSwitch.run();
        }
    }

    CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(links.stream().map(LettuceLink::close).toArray(CompletableFuture[]::new));
    }
}
