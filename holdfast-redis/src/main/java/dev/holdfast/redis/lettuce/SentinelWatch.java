package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Hears from sentinels that another server is the master now. Whoever sends nothing does not notice that its master stands still, and
 * would find it a master as before when it goes on, though its replica has taken over.
 *
 * <p>All sentinels are heard: one on the machine of the master may stand still together with it. Each is also asked once it is heard, for
 * what it announced before. One that does not permit it is left alone.
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
    private static final int LAST_PORT = 65_535;

    private final RedisClient client;
    private final String master;
    private final Subscriber subscriber;
    private final List<RedisURI> sentinels;
    private final NamedMasters named;
    private final List<LettuceLink<StatefulRedisPubSubConnection<String, String>>> links;
    /** Written on the threads of the connections. If two write at once, both have the same to say, or the later one is heard of again. */
    private volatile Announcement announced = Announcement.NONE;

    private final AtomicLong announcements = new AtomicLong();
    // Both are written once, before the links are started.
    private volatile Runnable onSwitch = () -> {};
    private volatile @Nullable Environment environment;

    SentinelWatch(RedisClient client, RedisURI uri, Duration timeout, Refusals refusals) {
        this.client = client;
        this.master = uri.getSentinelMasterId();
        this.subscriber = new Subscriber(client, timeout, refusals);
        this.sentinels = List.copyOf(uri.getSentinels());
        this.named = new NamedMasters(sentinels.size());
        this.links = IntStream.range(0, sentinels.size())
                .mapToObj(sentinel -> new LettuceLink<>(() -> open(sentinel)))
                .toList();
    }

    /** @param onSwitch called after {@link #announced} has changed */
    void start(Environment environment, Runnable onSwitch) {
        this.onSwitch = onSwitch;
        this.environment = environment;
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

    /** Complete once it is subscribed and was asked. */
    private CompletionStage<StatefulRedisPubSubConnection<String, String>> open(int sentinel) {
        named.forget(sentinel);
        return resolved(sentinels.get(sentinel))
                .thenCompose(subscriber::connect)
                .thenCompose(connection -> subscriber.subscribe(connection, CHANNEL, text -> heard(sentinel, text)))
                .thenCompose(connection -> ask(sentinel).handle((answered, failure) -> connection));
    }

    /**
     * Lettuce looks names up on the threads on which requests are sent, and this is tried again for as long as a sentinel is away. So the
     * JDK is made to remember the answer first, whatever it is.
     */
    private CompletableFuture<RedisURI> resolved(RedisURI sentinel) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        InetAddress unused = InetAddress.getByName(sentinel.getHost());
                    } catch (UnknownHostException remembered) {
                        // Told by the attempt that follows.
                    }
                    return sentinel;
                },
                Objects.requireNonNull(environment, "start() comes first").blocking());
    }

    /** Over a connection of its own: one that is subscribed takes no questions. */
    private CompletionStage<Void> ask(int sentinel) {
        long before = named.announcementsOf(sentinel);
        return MasterFinder.ask(client, sentinels.get(sentinel), master).thenAccept(answer -> {
            if (named.answered(sentinel, before, answer)) {
                announce(answer);
            }
        });
    }

    /** @param text name, host and port before, host and port now */
    private void heard(int sentinel, String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 5 || !parts[0].equals(master) || parts[3].isEmpty() || !parts[4].matches("\\d{1,5}")) {
            return;
        }
        ServerAddress now = new ServerAddress(parts[3], Integer.parseInt(parts[4]));
        if (now.port() > 0 && now.port() <= LAST_PORT && named.announced(sentinel, now)) {
            announce(now);
        }
    }

    private void announce(ServerAddress now) {
        announced = new Announcement(announcements.incrementAndGet(), now);
        onSwitch.run();
    }

    CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(links.stream().map(LettuceLink::close).toArray(CompletableFuture[]::new));
    }
}
