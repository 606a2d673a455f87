package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.ServerAddress;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is made of what sentinels announce. */
class MasterFinderTest {
    private final RedisClient client = RedisClient.create();
    private SentinelWatch.Announcement announced = SentinelWatch.Announcement.NONE;
    // Nobody listens at port 1: whoever asks the sentinel is told so.
    private final MasterFinder finder = new MasterFinder(
            client,
            RedisURI.create("redis-sentinel://user:secret@127.0.0.1:1/3#shop"),
            () -> announced,
            new AtomicInteger());

    @AfterEach
    void close() {
        client.shutdown();
    }

    /** As one of three sentinels does. */
    private void announce(String host) {
        announced = new SentinelWatch.Announcement(announced.number() + 1, new ServerAddress(host, 7));
    }

    private RedisURI next() throws Exception {
        return finder.get().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void nothingIsNewsAtTheBeginning() {
        assertThat(finder.isOutdated()).isFalse();
    }

    @Test
    void whatIsAnnouncedIsUsedWithoutAsking() throws Exception {
        announce("new");
        assertThat(finder.isOutdated()).isTrue();
        RedisURI uri = next();
        assertThat(uri.getHost()).isEqualTo("new");
        assertThat(uri.getPort()).isEqualTo(7);
        assertThat(uri.getDatabase()).isEqualTo(3);
        assertThat(uri.getSentinels()).isEmpty();
        assertThat(uri.getCredentialsProvider().resolveCredentials().block().getUsername())
                .isEqualTo("user");
        assertThat(finder.isOutdated()).isFalse();
    }

    @Test
    void whatASecondSentinelAnnouncesIsNoNews() throws Exception {
        announce("new");
        next();
        announce("new");
        assertThat(finder.isOutdated()).isFalse();
    }

    @Test
    void theNextSwitchIsNews() throws Exception {
        announce("new");
        next();
        announce("newer");
        assertThat(finder.isOutdated()).isTrue();
        assertThat(next().getHost()).isEqualTo("newer");
    }

    @Test
    void sentinelsAreAskedIfNobodyAnswersThere() throws Exception {
        // Else a server that died long after its announcement would be tried first.
        announce("new");
        next();
        announce("new");
        assertThat(finder.get()).failsWithin(30, TimeUnit.SECONDS);
    }
}
