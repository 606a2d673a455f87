package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers that stop, forget, stall and hang up while locks are held and waited for. */
@Timeout(300)
class OutageIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LEASE = Duration.ofSeconds(60);
    /** Seconds: long before a lease ends by itself, on any machine. */
    private static final long SOON = LEASE.dividedBy(2).toSeconds();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast over(String url) {
        return over(RedisBackend.builder(url));
    }

    private static Holdfast over(RedisBackend.Builder builder) {
        return Holdfast.builder(Patient.connect(builder::connect)).lease(LEASE).build();
    }

    private static void awaitWaiter(Holdfast holdfast, String name) {
        await().ignoreExceptions()
                .atMost(PATIENCE)
                .until(() -> holdfast.inspect(name).orElseThrow().waiters().size() == 1);
    }

    @Test
    void aServerThatForgetsEverythingIsNoticedByHoldersAndWaiters() throws Exception {
        // Restarted empty while a lease of a minute is held and waited for. The holder is told long before its lease
        // would end, the waiter goes on, and the tokens go on growing.
        try (RedisServer forgetful = RedisServer.embedded().start();
                Holdfast holder = over(forgetful.url());
                Holdfast waiter = over(forgetful.url())) {
            AtomicBoolean lost = new AtomicBoolean();
            Lease held = holder.lock("a").acquire(PATIENCE);
            held.onLost(loss -> lost.set(true));
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiter(holder, "a");
            forgetful.restart();
            Lease next = waiting.get(SOON, TimeUnit.SECONDS);
            await().atMost(PATIENCE).until(lost::get);
            assertThat(held.isValid()).isFalse();
            assertThat(next.token().value()).isGreaterThan(held.token().value());
            held.close();
            assertThat(next.isValid()).isTrue();
            next.close();
        }
    }

    @Test
    void aServerThatRemembersIsNoLoss() throws Exception {
        // Restarted with its data. The lease is held on, the waiter waits on and is served by the release.
        try (RedisServer durable = RedisServer.durable().start();
                Holdfast holder = over(durable.url());
                Holdfast waiter = over(durable.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiter(holder, "a");
            durable.restart();
            awaitWaiter(holder, "a");
            assertThat(held.isValid()).isTrue();
            assertThat(waiting).isNotDone();
            held.close();
            Lease next = waiting.get(SOON, TimeUnit.SECONDS);
            assertThat(next.token().value()).isGreaterThan(held.token().value());
            next.close();
        }
    }

    @Test
    void whoAsksWhileTheServerIsDownIsServedOnceItIsBack() throws Exception {
        // Down: who will not wait is told so at once, who waits gets the lock later.
        try (RedisServer fragile = RedisServer.embedded().start();
                Holdfast holdfast = over(fragile.url())) {
            holdfast.lock("a").acquire(PATIENCE).close();
            fragile.kill();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    catchThrowable(() -> holdfast.lock("a").tryAcquire()))
                            .isInstanceOf(LockUnavailableException.class)
                            .hasMessageContaining("127.0.0.1:" + fragile.port()));
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(PATIENCE);
            fragile.restart();
            waiting.get().close();
        }
    }

    @Test
    void aPausedServerDelaysAndDoesNotLose() throws Exception {
        // CLIENT PAUSE holds every command back for a while.
        try (Holdfast holdfast = over(redis.url())) {
            Lease held = holdfast.lock("a").acquire(PATIENCE);
            redis.call("CLIENT", "PAUSE", "1500");
            holdfast.lock("b").acquire(PATIENCE).close();
            assertThat(held.isValid()).isTrue();
            held.close();
            await().ignoreExceptions()
                    .atMost(PATIENCE)
                    .until(() -> holdfast.inspect("a").isEmpty());
        }
    }

    @Test
    void aStallOfFiveSecondsIsSurvived() throws Exception {
        // The server process is stopped for five seconds, longer than the command timeout. What was asked meanwhile is
        // answered later or asked again; nobody holds twice, nothing stays behind.
        try (RedisServer stalled = RedisServer.embedded().start();
                Holdfast one = over(stalled.url());
                Holdfast two = over(stalled.url())) {
            Lease held = one.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = two.lock("a").acquireAsync(PATIENCE);
            awaitWaiter(one, "a");
            stalled.pause();
            CompletableFuture<Lease> asking = two.lock("b").acquireAsync(PATIENCE);
            CompletableFuture<Void> stall = new CompletableFuture<>();
            assertThat(stall.completeOnTimeout(null, 5, TimeUnit.SECONDS).thenRun(stalled::resume))
                    .succeedsWithin(PATIENCE);
            Lease b = asking.get();
            assertThat(held.isValid()).isTrue();
            assertThat(waiting).isNotDone();
            held.close();
            waiting.get().close();
            b.close();
            await().ignoreExceptions()
                    .atMost(PATIENCE)
                    .until(() -> one.list("", 10).isEmpty());
        }
    }

    @Test
    void flushedScriptsAreSentAgain() throws Exception {
        try (Holdfast holdfast = Patient.client(redis.url())) {
            Lease held = holdfast.lock("a").acquire(PATIENCE);
            redis.call("SCRIPT", "FLUSH");
            held.close();
            redis.call("SCRIPT", "FLUSH");
            holdfast.lock("a").acquire(PATIENCE).close();
            assertThat(holdfast.inspect("a")).isEmpty();
        }
    }

    @Test
    void aKilledInboxIsReplacedAndNoGrantIsMissed() throws Exception {
        // The server closes the waiter's inbox, and the lock is released while nobody listens. The waiter finds out
        // after
        // it has subscribed again, not when its timer rings after a minute.
        try (Holdfast holder = over(redis.url());
                Holdfast waiter = over(redis.url())) {
            for (int round = 0; round < 5; round++) {
                Lease held = holder.lock("a").acquire(PATIENCE);
                CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
                awaitWaiter(holder, "a");
                redis.call("CLIENT", "KILL", "TYPE", "pubsub");
                held.close();
                waiting.get(SOON, TimeUnit.SECONDS).close();
            }
        }
    }

    @Test
    void flushAllUnderLoadStopsNobodyAndTurnsNoTokenBack() throws Exception {
        // Everything is deleted again and again while four clients compete. A lock that is gone can be had twice, that
        // is
        // what the token is for: it never repeats, and each client sees it grow.
        List<CompletableFuture<List<Long>>> tokens = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 4; i++) {
            Holdfast holdfast = Holdfast.builder(Patient.connect(() -> RedisBackend.connect(redis.url())))
                    .lease(Duration.ofSeconds(1))
                    .build();
            clients.add(holdfast);
            CompletableFuture<List<Long>> seen = new CompletableFuture<>();
            tokens.add(seen);
            new Thread(() -> collect(holdfast, over, seen)).start();
        }
        for (int i = 0; i < 15; i++) {
            redis.call("FLUSHALL");
            await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        }
        over.set(true);
        List<Long> all = new ArrayList<>();
        for (CompletableFuture<List<Long>> each : tokens) {
            List<Long> seen = each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(seen).isNotEmpty().isSorted();
            all.addAll(seen);
        }
        assertThat(all).doesNotHaveDuplicates();
        clients.forEach(Holdfast::close);
    }

    private static void collect(Holdfast holdfast, AtomicBoolean over, CompletableFuture<List<Long>> seen) {
        List<Long> tokens = new ArrayList<>();
        try {
            do {
                try (Lease lease = holdfast.lock("a").acquire(PATIENCE)) {
                    tokens.add(lease.token().value());
                }
            } while (!over.get());
            seen.complete(tokens);
        } catch (Throwable e) {
            seen.completeExceptionally(e);
        }
    }

    @Test
    void aCutConnectionHealsAndTheLeaseLives() throws Exception {
        try (Proxy proxy = new Proxy(redis.port());
                Holdfast holder = over(proxy.url());
                Holdfast waiter = over(redis.url())) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(PATIENCE);
            awaitWaiter(waiter, "a");
            proxy.cut();
            CompletableFuture<Lease> asking = holder.lock("b").acquireAsync(PATIENCE);
            proxy.mend();
            asking.get().close();
            assertThat(held.isValid()).isTrue();
            held.close();
            waiting.get().close();
        }
    }

    @Test
    void aConnectionThatIsDeadWithoutAWordIsReplaced() throws Exception {
        // Nobody hangs up, and nothing comes through any more. After a few timeouts we dial again, and the lease lives.
        try (Proxy proxy = new Proxy(redis.port());
                Holdfast holdfast = over(RedisBackend.builder(proxy.url()).commandTimeout(Duration.ofMillis(300)))) {
            Lease held = holdfast.lock("a").acquire(PATIENCE);
            proxy.strand();
            holdfast.lock("b").acquire(PATIENCE).close();
            assertThat(held.isValid()).isTrue();
            held.close();
            await().ignoreExceptions()
                    .atMost(PATIENCE)
                    .until(() -> holdfast.list("", 10).isEmpty());
        }
    }

    @Test
    void anAcquireThatArrivesTooLateIsNotCarriedOut() throws Exception {
        // The request is held up on the way until its sender has long given up. When it arrives it must not take the
        // lock,
        // not even for the moment until its withdrawal arrives: the counter shows that no token was spent.
        try (Proxy proxy = new Proxy(redis.port());
                Holdfast holdfast = over(RedisBackend.builder(proxy.url()).commandTimeout(Duration.ofMillis(300)))) {
            holdfast.lock("warm-up").acquire(PATIENCE).close();
            proxy.holdRequests();
            assertThat(catchThrowable(() -> holdfast.lock("late").tryAcquire()))
                    .isInstanceOf(LockUnavailableException.class);
            proxy.letThrough();
            holdfast.lock("warm-up").acquire(PATIENCE).close();
            await().ignoreExceptions()
                    .atMost(PATIENCE)
                    .until(() -> holdfast.inspect("late").isEmpty());
            assertThat(redis.call("EXISTS", Keys.standard().of("late")[2])).isEqualTo(0L);
        }
    }
}
