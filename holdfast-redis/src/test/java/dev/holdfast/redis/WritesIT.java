package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.lettuce.LettuceClients;
import dev.holdfast.redis.lettuce.LettuceNode;
import dev.holdfast.redis.lettuce.ServerUrl;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.testing.ManualTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When requests leave, and in how many system calls. */
@Timeout(240)
class WritesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MANY = 50;

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private final AtomicInteger writes = new AtomicInteger();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final List<EventExecutor> loops = new CopyOnWriteArrayList<>();

    @Test
    void whatAnAnswerGivesRiseToLeavesInOneWrite() throws Exception {
        // Fifty locks are asked for by whoever is told that it has the first. The fifty requests go out in one write,
        // seen
        // by a handler that the user's own client brings, next to the socket.
        ClientResources resources =
                ClientResources.builder().nettyCustomizer(new Counting()).build();
        try (RedisClient client = RedisClient.create(resources, redis.url());
                Holdfast holdfast = Holdfast.builder(RedisBackend.over(client, redis.url())
                                .commandTimeout(Patient.TIMEOUT)
                                .connect())
                        .executor(Runnable::run)
                        .build()) {
            holdfast.lock("warm-up").acquire(PATIENCE).close();
            List<CompletableFuture<Lease>> leases = new ArrayList<>();
            AtomicInteger before = new AtomicInteger();
            // Not before everything below is set: otherwise the test's own thread would be the one that is told.
            loops.forEach(loop -> loop.execute(this::awaitAsked));
            CompletableFuture<Lease> first = holdfast.lock("first")
                    .acquireAsync(PATIENCE)
                    .thenApply(lease -> {
                        before.set(writes.get());
                        for (int i = 0; i < MANY; i++) {
                            leases.add(holdfast.lock("lock-" + i).acquireAsync(PATIENCE));
                        }
                        return lease;
                    });
            asked.countDown();
            first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            for (CompletableFuture<Lease> lease : leases) {
                assertThat(lease.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isValid())
                        .isTrue();
            }
            assertThat(writes.get() - before.get()).isEqualTo(1);
            first.get().close();
            for (CompletableFuture<Lease> lease : leases) {
                lease.get().close();
            }
        } finally {
            resources.shutdown(0, 1, TimeUnit.SECONDS).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void requestsOfOneTurnToOneOfSeveralServersLeaveInOneWrite() throws Exception {
        // Fifty requests are made while the I/O threads are busy.
        ClientResources resources =
                ClientResources.builder().nettyCustomizer(new Counting()).build();
        try (RedisClient client = RedisClient.create(resources, redis.url())) {
            List<LettuceNode> nodes = LettuceClients.nodes(
                    client,
                    List.of(ServerUrl.parse(redis.url()), ServerUrl.parse(redis.url())),
                    Duration.ofMinutes(1),
                    Keys.standard());
            nodes.get(1).close();
            try (LettuceNode node = nodes.get(0)) {
                node.connect();
                node.open(new ManualTime(), new NodeListener(), "inbox");
                await().atMost(PATIENCE).until(node::isSubscribed);
                node.ask("TIME").toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                int before = writes.get();
                loops.forEach(loop -> loop.execute(this::awaitAsked));
                List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
                for (int i = 0; i < MANY; i++) {
                    answers.add(node.ask("ECHO", "turn").toCompletableFuture());
                }
                asked.countDown();
                for (CompletableFuture<List<Object>> answer : answers) {
                    assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .containsExactly("turn");
                }
                assertThat(writes.get() - before).isEqualTo(1);
            }
        } finally {
            resources.shutdown(0, 1, TimeUnit.SECONDS).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void whatWasNotWrittenWhenTheConnectionBrokeFailsAtOnce() throws Exception {
        // The server hangs up while requests wait for a busy I/O thread. They fail as soon as it looks, though time,
        // which stands still here, would never end them; and on the next connection they are not sent either.
        ClientResources resources =
                ClientResources.builder().nettyCustomizer(new Counting()).build();
        try (RedisClient client = RedisClient.create(resources, redis.url());
                LettuceNode node = LettuceClients.node(
                        client, ServerUrl.parse(redis.url()), Duration.ofMinutes(1), Keys.inNamespace("broken"))) {
            node.connect();
            NodeListener listener = new NodeListener();
            node.open(new ManualTime(), listener, "inbox");
            await().atMost(PATIENCE).until(node::isSubscribed);
            loops.forEach(loop -> loop.execute(this::awaitAsked));
            redis.resetCounts();
            List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(node.ask("ECHO", "never").toCompletableFuture());
            }
            redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            asked.countDown();
            for (CompletableFuture<List<Object>> answer : answers) {
                assertThat(answer).failsWithin(PATIENCE);
            }
            await().atMost(PATIENCE).untilTrue(listener.reconnected);
            node.ask("TIME").toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(redis.calls("echo")).isZero();
        } finally {
            resources.shutdown(0, 1, TimeUnit.SECONDS).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static final class NodeListener implements RedisNode.Listener {
        private final AtomicBoolean reconnected = new AtomicBoolean();

        @Override
        public void reconnected() {
            reconnected.set(true);
        }

        @Override
        public void subscribed(String channel) {}

        @Override
        public void notSubscribed(Throwable why) {}

        @Override
        public void message(String text) {}

        @Override
        public void notConnected(Throwable why) {}
    }

    /** Whatever fails before all is asked: a thread that stayed busy would keep the test from ending. */
    private void awaitAsked() {
        try {
            var unused = asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Counting implements NettyCustomizer {
        @Override
        public void afterChannelInitialized(Channel channel) {
            loops.add(channel.eventLoop());
            channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void flush(ChannelHandlerContext context) {
                    writes.incrementAndGet();
                    context.flush();
                }
            });
        }
    }
}
