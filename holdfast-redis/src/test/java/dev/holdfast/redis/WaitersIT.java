package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whoever waits finds out within seconds that its place is gone, or that nobody can tell it anything any more. */
@Timeout(400)
class WaitersIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
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
        return Holdfast.builder(Patient.backend(url)).lease(LEASE).build();
    }

    /** One that finds out by its timeouts that nothing comes back. */
    private static Holdfast impatientClient(String url) {
        return Holdfast.builder(Patient.connect(() -> RedisBackend.connect(url)))
                .lease(LEASE)
                .build();
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
            Optional<Lease> taken = Optional.empty();
            while (taken.isEmpty()) {
                Lease held = holder.lock("a").acquire(PATIENCE);
                CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
                awaitWaiters(holder, "a", 1);
                redis.call("FLUSHALL");
                taken = Patient.tryAcquire(newcomer, "a");
                if (taken.isPresent()) {
                    await().atMost(Duration.ofSeconds(SOON))
                            .until(() -> newcomer.inspect("a")
                                            .orElseThrow()
                                            .waiters()
                                            .size()
                                    == 1);
                    taken.get().close();
                }
                // Else the newcomer was held up for so long that the waiter had asked again: once more.
                waiting.get(SOON, TimeUnit.SECONDS).close();
                held.close();
            }
        }
    }

    @Test
    void anInboxThatDiedSilentlyIsReplacedBeforeItIsNeeded() throws Exception {
        // The way of the waiter forgets its connections: they stay open and carry nothing. Commands notice by their
        // timeouts; the inbox, which only listens, used to be noticed when a grant had been pushed into nothing.
        try (Proxy proxy = new Proxy(redis.port());
                Holdfast holder = client(redis.url());
                Holdfast waiter = impatientClient(proxy.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiters(holder, "a", 1);
            String before = inboxOf("a");
            proxy.strand();
            await().atMost(PATIENCE).until(() -> isOtherInbox(before));
            awaitWaiters(holder, "a", 1);
            held.close();
            waiting.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    /** The channel in the first entry of the queue; empty if there is none. */
    private static String inboxOf(String name) {
        Object entry = redis.call("LINDEX", Keys.standard().queue(name), "0");
        return entry == null ? "" : entry.toString().split(" ", 3)[1];
    }

    private static boolean isOtherInbox(String before) {
        String now = inboxOf("a");
        return !now.isEmpty() && !now.equals(before);
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
                    .until(() -> isOtherInbox(before)
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
        // Leases that are not renewed meanwhile, because that is a request, too.
        Duration hours = Duration.ofHours(3);
        try (Holdfast holder = Holdfast.builder(Patient.backend(redis.url()))
                        .lease(hours)
                        .maxLease(hours)
                        .build();
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
            long began = System.nanoTime();
            redis.resetCounts();
            await().atMost(PATIENCE).until(() -> redis.calls("publish") >= 3);
            long requests = redis.calls("evalsha") + redis.calls("eval");
            long places = redis.calls("lpos");
            double seconds = (System.nanoTime() - began) / 1e9;
            assertThat(requests).isLessThanOrEqualTo((long) (seconds / 2.5) + 1);
            assertThat(places).isLessThanOrEqualTo(50 * ((long) (seconds / 2.5) + 1));
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
