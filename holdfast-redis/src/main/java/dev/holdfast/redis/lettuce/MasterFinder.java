package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.ServerAddress;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the connections of one {@link LettuceLink} lead. Behind sentinels one of them is asked before each, another one first each time:
 * Lettuce goes on to the next one only if a connection fails, so one that accepts connections and answers nothing would keep
 * everybody for ever.
 */
final class MasterFinder implements Supplier<CompletionStage<RedisURI>> {
    private final RedisClient client;
    private final RedisURI uri;
    private final Supplier<SentinelWatch.Announcement> announced;
    // Both are written by the attempt under way, of which there is one at a time.
    /** The number of what had been announced when the last attempt began. */
    private volatile long heard;
    /** Where the last attempt led; null before the first. */
    private volatile @Nullable ServerAddress named;

    private final AtomicInteger attempts;

    /**
     * @param announced what sentinels announced last
     * @param attempts shared with other links: what one of them has learned by waiting in vain, the others need not
     */
    MasterFinder(
            RedisClient client, RedisURI uri, Supplier<SentinelWatch.Announcement> announced, AtomicInteger attempts) {
        this.client = client;
        this.uri = uri;
        this.announced = announced;
        this.attempts = attempts;
    }

    /** After how many attempts each of the sentinels has come first. */
    int size() {
        return Math.max(1, uri.getSentinels().size());
    }

    /** Whether another master was announced since the last attempt began than the one that it led to. */
    boolean isOutdated() {
        return isNews(announced.get());
    }

    private boolean isNews(SentinelWatch.Announcement newest) {
        return newest.number() != heard && !newest.master().equals(named);
    }

    @Override
    public CompletionStage<RedisURI> get() {
        if (uri.getSentinels().isEmpty()) {
            return CompletableFuture.completedStage(uri);
        }
        SentinelWatch.Announcement newest = announced.get();
        boolean news = isNews(newest);
        heard = newest.number();
        // The sentinel that is asked next may not know yet. Should nobody answer there, sentinels are asked again.
        return news ? CompletableFuture.completedStage(at(newest.master())) : ask().thenApply(this::at);
    }

    private RedisURI at(ServerAddress master) {
        named = master;
        return LettuceClients.withAddress(uri, master);
    }

    private CompletionStage<ServerAddress> ask() {
        return ask(client, LettuceClients.withSentinels(uri, rotated()), uri.getSentinelMasterId());
    }

    private List<RedisURI> rotated() {
        List<RedisURI> rotated = new ArrayList<>(uri.getSentinels());
        Collections.rotate(rotated, -Math.floorMod(attempts.getAndIncrement(), rotated.size()));
        return rotated;
    }

    /** @param sentinels one of them, or those of which the first that takes a connection is asked */
    static CompletionStage<ServerAddress> ask(RedisClient client, RedisURI sentinels, String master) {
        return client.connectSentinelAsync(ConnectionOpener.CODEC, sentinels)
                .thenCompose(sentinel -> ask(sentinel, master));
    }

    /** Complete once that connection is closed: whoever waits for the end of all attempts shuts the client down. */
    private static CompletionStage<ServerAddress> ask(
            StatefulRedisSentinelConnection<String, String> sentinel, String master) {
        CompletableFuture<ServerAddress> answer = NewConnection.answer(
                        sentinel, sentinel.async().getMasterAddrByName(master))
                .handle((address, failure) -> parse(address, failure, master));
        return answer.handle((address, failure) -> failure == null)
                .thenCompose(known -> sentinel.closeAsync())
                .handle((closed, failure) -> failure == null)
                .thenCompose(closed -> answer);
    }

    private static ServerAddress parse(@Nullable SocketAddress answer, @Nullable Throwable failure, String master) {
        if (answer instanceof InetSocketAddress address) {
            return new ServerAddress(address.getHostString(), address.getPort());
        }
        if (failure == null) {
            throw new RedisConnectionException("the sentinels know no master named '" + master
                    + "': compare the URL with \"sentinel monitor\" in their configuration");
        }
        if (String.valueOf(failure.getMessage()).startsWith("ERR unknown command")) {
            throw new RedisConnectionException("what answers is no sentinel: redis+sentinel:// takes the addresses of"
                    + " sentinels, whose port is 26379 unless set otherwise");
        }
        throw new CompletionException(failure);
    }
}
