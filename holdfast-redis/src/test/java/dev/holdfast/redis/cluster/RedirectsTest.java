package dev.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.ClusterConnections;
import dev.holdfast.redis.node.RedirectException;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.redis.node.Subscription;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that servers of a cluster send elsewhere. */
class RedirectsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final ManualTime time = new ManualTime();
    private final List<String> asked = new ArrayList<>();
    private final ClusterTopology cluster =
            new ClusterTopology(new Fakes(), List.of(new ServerAddress("a", 1)), TIMEOUT);

    @BeforeEach
    void open() {
        cluster.open(time, new Ignoring(), mark -> "inbox");
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            cluster.moved(slot, new ServerAddress("a", 1));
        }
    }

    @Test
    void aRequestIsMadeAnewForTheServerThatItIsSentTo() {
        CompletionStage<String> answer = cluster.at("name", server -> {
            asked.add(server.address());
            return server.address().equals("a:1")
                    ? redirect("MOVED 1 b:2")
                    : CompletableFuture.completedStage("from b");
        });
        assertThat(answer.toCompletableFuture()).isCompletedWithValue("from b");
        assertThat(asked).containsExactly("a:1", "b:2");
        // And the next one goes there at once.
        asked.clear();
        cluster.at("name", server -> {
            asked.add(server.address());
            return CompletableFuture.completedStage("");
        });
        assertThat(asked).containsExactly("b:2");
    }

    @Test
    void aKeyThatIsAskedForElsewhereLeavesTheSlotWhereItIs() {
        cluster.at("name", server -> {
            asked.add(server.address());
            return server.address().equals("a:1") ? redirect("ASK 1 b:2") : CompletableFuture.completedStage("");
        });
        cluster.at("name", server -> {
            asked.add(server.address());
            return CompletableFuture.completedStage("");
        });
        assertThat(asked).containsExactly("a:1", "b:2", "a:1");
    }

    @Test
    void aSlotThatIsMovingForTooLongIsNotNow() {
        CompletableFuture<Object> answer = cluster.at("name", server -> {
                    asked.add(server.address());
                    return redirect("TRYAGAIN Multiple keys request during rehashing of slot");
                })
                .toCompletableFuture();
        time.advance(Duration.ofSeconds(1));
        assertThat(answer).isNotDone();
        time.advance(Duration.ofSeconds(2));
        assertThat(failureOf(answer)).isInstanceOf(NotSentException.class).hasMessageContaining("being moved");
        assertThat(asked.size()).isBetween(10, 60);
    }

    @Test
    void serversThatSendUsRoundInCirclesAreNotFollowedForEver() {
        CompletableFuture<Object> answer = cluster.at("name", server -> {
                    asked.add(server.address());
                    return redirect(server.address().equals("a:1") ? "MOVED 1 b:2" : "MOVED 1 a:1");
                })
                .toCompletableFuture();
        assertThat(failureOf(answer)).isInstanceOf(NotSentException.class).hasMessageContaining("do not agree");
        assertThat(asked.size()).isLessThan(12);
    }

    @Test
    void aRequestThatFailsOtherwiseIsNotSentAgain() {
        CompletableFuture<Object> answer = cluster.at("name", server -> {
                    asked.add(server.address());
                    return CompletableFuture.failedStage(new IllegalStateException("nobody knows"));
                })
                .toCompletableFuture();
        assertThat(failureOf(answer)).hasMessage("nobody knows");
        time.advance(Duration.ofSeconds(5));
        assertThat(asked).hasSize(1);
    }

    private static <T> CompletionStage<T> redirect(String said) {
        return CompletableFuture.failedStage(RedirectException.parse(said, "a"));
    }

    private static Throwable failureOf(CompletableFuture<?> answer) {
        assertThat(answer).isCompletedExceptionally();
        return answer.handle((value, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                .join();
    }

    /** Servers that are connected at once. */
    private static final class Fakes implements ClusterConnections {
        @Override
        public RedisNode server(ServerAddress address) {
            FakeNode node = new FakeNode();
            node.address = address.toString();
            node.connectsAtOnce = true;
            return node;
        }

        @Override
        public Subscription inbox(Supplier<ServerAddress> where) {
            return new Subscription() {
                @Override
                public void open(Environment environment, Listener listener, LongFunction<String> inbox) {}

                @Override
                public boolean isSubscribed() {
                    return true;
                }

                @Override
                public void replace() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }

    private static final class Ignoring implements Topology.Listener {
        @Override
        public void connected(RedisNode server) {}

        @Override
        public void reconnected(RedisNode server) {}

        @Override
        public void notConnected(RedisNode server, Throwable why) {}

        @Override
        public void subscribed(String channel) {}

        @Override
        public void notSubscribed(Throwable why) {}

        @Override
        public void message(String text) {}
    }
}
