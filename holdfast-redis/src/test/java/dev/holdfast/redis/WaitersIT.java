package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whoever waits finds out within seconds that its place is gone, or that nobody can tell it anything any more. */
@Timeout(120)
class WaitersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration LEASE = Duration.ofSeconds(60);
    /** Long before the lease ends, on any machine. */
    private static final long SOON = LEASE.dividedBy(2).toSeconds();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client(String url) {
        return Holdfast.builder(RedisBackend.connect(url)).lease(LEASE).build();
    }

    private static void awaitWaiters(Holdfast holdfast, String name, int count) {
        await().atMost(PATIENCE)
                .until(() -> holdfast.inspect(name).orElseThrow().waiters().size() == count);
    }

    @Test
    void afterFlushAllTheyAskAgain() throws Exception {
        // Nobody holds the lock any more, and nobody knows who waited. They used to sleep until the end of the lease
        // that
        // they had met, a minute here, while whoever came took the lock.
        try (Holdfast holder = client(redis.url());
                Holdfast waiter = client(redis.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 1);
            redis.call("FLUSHALL");
            waiting.get(SOON, TimeUnit.SECONDS).close();
            held.close();
        }
    }

    @Test
    void afterFlushAllTheyStandBehindWhoeverCameFirst() throws Exception {
        // A newcomer has the lock by then: they are in its queue, and are served when it lets go.
        try (Holdfast holder = client(redis.url());
                Holdfast waiter = client(redis.url());
                Holdfast newcomer = client(redis.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 1);
            redis.call("FLUSHALL");
            Lease taken = newcomer.lock("a").acquire(PATIENCE);
            await().atMost(Duration.ofSeconds(SOON))
                    .until(() -> newcomer.inspect("a").orElseThrow().waiters().size() == 1);
            taken.close();
            waiting.get(SOON, TimeUnit.SECONDS).close();
            held.close();
        }
    }

    @Test
    void anInboxThatDiedSilentlyIsReplacedBeforeItIsNeeded() throws Exception {
        // The way of the waiter forgets its connections: they stay open and carry nothing. Commands notice by their
        // timeouts; the inbox, which only listens, used to be noticed when a grant had been pushed into nothing.
        try (Proxy proxy = new Proxy(redis.port());
                Holdfast holder = client(redis.url());
                Holdfast waiter = client(proxy.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 1);
            String before = inboxOf("a");
            proxy.strand();
            await().atMost(PATIENCE).until(() -> !inboxOf("a").equals(before));
            assertThat(holder.inspect("a").orElseThrow().waiters()).hasSize(1);
            held.close();
            waiting.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    /** The channel in the only entry of the queue. */
    private static String inboxOf(String name) {
        String entry = redis.text("LINDEX", Keys.standard().queue(name), "0");
        return entry.split(" ", 3)[1];
    }

    @Test
    void placesAreKeptOverANewInbox() throws Exception {
        // The server hangs up on the first waiter's inbox. It comes back under another channel, and is first as before.
        try (Holdfast holder = client(redis.url());
                Holdfast first = client(redis.url());
                Holdfast second = client(redis.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> one = first.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 1);
            String before = inboxOf("a");
            CompletableFuture<Lease> two = second.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 2);
            redis.call("CLIENT", "KILL", "TYPE", "pubsub");
            await().atMost(PATIENCE)
                    .until(() -> !inboxOf("a").equals(before)
                            && holder.inspect("a").orElseThrow().waiters().size() == 2);
            held.close();
            Lease won = one.get(SOON, TimeUnit.SECONDS);
            assertThat(two).isNotDone();
            won.close();
            two.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aProcessThatWaitsSendsOneRequestInSeconds() throws Exception {
        // Fifty names, one process: the server counts. And none at all once nobody waits.
        try (Holdfast holder = client(redis.url());
                Holdfast waiter = client(redis.url())) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                held.add(holder.lock("a-" + i).acquire(PATIENCE));
                waiting.add(waiter.lock("a-" + i).acquireAsync(PATIENCE));
            }
            for (int i = 0; i < 50; i++) {
                awaitWaiters(holder, "a-" + i, 1);
            }
            redis.resetCounts();
            long began = System.nanoTime();
            await().atMost(PATIENCE).until(() -> redis.calls("publish") >= 3);
            double seconds = (System.nanoTime() - began) / 1e9;
            assertThat(redis.calls("evalsha") + redis.calls("eval")).isLessThanOrEqualTo((long) (seconds / 2.5) + 1);
            assertThat(redis.calls("lpos")).isLessThanOrEqualTo(50 * ((long) (seconds / 2.5) + 1));
            waiting.forEach(each -> each.cancel(false));
            for (int i = 0; i < 50; i++) {
                awaitWaiters(holder, "a-" + i, 0);
            }
            redis.resetCounts();
            CompletableFuture<Void> pause = new CompletableFuture<Void>().orTimeout(5, TimeUnit.SECONDS);
            assertThat(pause.handle((nothing, failure) -> failure != null).get())
                    .isTrue();
            assertThat(redis.calls("publish")).isZero();
            held.forEach(Lease::close);
        }
    }
}
