package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.OtherJvm;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lock goes to the next waiter, whatever has become of the one before it. */
@Timeout(400)
class HandOverIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final String NAME = "handed";
    /** Seconds: long before a lease or a turn of that length ends by itself, on any machine. */
    private static final long SOON = LEASE.dividedBy(2).toSeconds();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client() {
        return Holdfast.builder(Patient.backend(redis.url())).lease(LEASE).build();
    }

    /** One whose turns are so long that only something else than their end can be what it waits for. */
    private static Holdfast unhurriedClient() {
        return Holdfast.builder(Patient.builder(redis.url()).claimWindow(LEASE).connect())
                .lease(LEASE)
                .build();
    }

    private static OtherJvm otherJvm() {
        return new OtherJvm(RedisBackendIT.Clients.class, redis.url(), LEASE, NAME);
    }

    private static void awaitWaiters(Holdfast holdfast, int count) {
        await().atMost(PATIENCE)
                .until(() -> holdfast.inspect(NAME).orElseThrow().waiters().size() == count);
    }

    @Test
    void aFrozenWaiterDelaysTheNextByTheClaimWindow() throws Exception {
        // The first waiter is stopped, then the lock is released to it. The second gets it after the window, not after
        // a
        // lease. The first wakes up, has missed its turn, waits again, and is served in the end.
        try (Holdfast holder = client();
                OtherJvm frozen = otherJvm();
                Holdfast next = client()) {
            Lease held = holder.lock(NAME).acquire(PATIENCE);
            awaitWaiters(holder, 1);
            CompletableFuture<Lease> waiting = next.lock(NAME).acquireAsync(PATIENCE);
            awaitWaiters(holder, 2);
            // It used to go on for a moment, at times long enough to hear of its turn and to claim the lock: and who
            // freezes as a holder keeps it for a whole lease.
            frozen.pause();
            // What it had sent before that is carried out by now, and it still stands in line.
            awaitWaiters(holder, 2);
            long released = System.nanoTime();
            held.close();
            Lease second = waiting.get();
            assertThat(Duration.ofNanos(System.nanoTime() - released))
                    .isBetween(WINDOW.minusMillis(100), LEASE.dividedBy(2));
            assertThat(second.token().value()).isGreaterThan(held.token().value());
            frozen.resume();
            awaitWaiters(holder, 1);
            assertThat(frozen.isHolding()).isFalse();
            assertThat(second.isValid()).isTrue();
            second.close();
            await().atMost(PATIENCE).until(frozen::isHolding);
        }
    }

    @Test
    void aKilledWaiterDelaysTheNextByNothing() throws Exception {
        // The first waiter is killed. The server knows that nobody listens there, and the second is served at once.
        try (Holdfast holder = unhurriedClient();
                OtherJvm killed = otherJvm();
                Holdfast next = unhurriedClient()) {
            Lease held = holder.lock(NAME).acquire(PATIENCE);
            awaitWaiters(holder, 1);
            CompletableFuture<Lease> waiting = next.lock(NAME).acquireAsync(PATIENCE);
            awaitWaiters(holder, 2);
            killed.kill();
            await().atMost(PATIENCE).until(() -> inboxes() == 2);
            held.close();
            waiting.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    private static int inboxes() {
        return ((List<?>) redis.call("PUBSUB", "CHANNELS")).size();
    }

    @Test
    void aKilledHolderIsSucceededWhenItsLeaseEnds() throws Exception {
        // Nobody publishes anything. The waiter comes by itself, at the end of the lease and not much later.
        Duration lease = Duration.ofSeconds(3);
        try (OtherJvm holder = new OtherJvm(RedisBackendIT.Clients.class, redis.url(), lease, NAME);
                Holdfast next = client()) {
            await().atMost(PATIENCE).until(holder::isHolding);
            CompletableFuture<Lease> waiting = next.lock(NAME).acquireAsync(PATIENCE);
            // If the holder is held up for as long as its lease, it is succeeded already.
            await().atMost(PATIENCE)
                    .until(() -> waiting.isDone()
                            || next.inspect(NAME)
                                    .map(state -> state.waiters().size() == 1)
                                    .orElse(false));
            holder.kill();
            waiting.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void whoIsNewDoesNotOvertakeTheQueue() throws Exception {
        // The lock vanishes without a word, as if it had expired. The next to come is not the next in line: it serves
        // the
        // one that waits, and is told to wait itself.
        try (Holdfast holder = client();
                Holdfast waiter = client();
                Holdfast newcomer = client()) {
            holder.lock(NAME).acquire(PATIENCE);
            CompletableFuture<Lease> waiting = waiter.lock(NAME).acquireAsync(PATIENCE);
            awaitWaiters(holder, 1);
            redis.call("DEL", Keys.standard().lock(NAME));
            assertThat(newcomer.lock(NAME).tryAcquire()).isEmpty();
            waiting.get(SOON, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aBrokenLockGoesToTheNextAndItsHolderLearnsOfIt() throws Exception {
        try (Holdfast holder = client();
                Holdfast next = client()) {
            Lease broken = holder.lock(NAME).withLease(Duration.ofSeconds(6)).acquire(PATIENCE);
            CompletableFuture<Lease> waiting = next.lock(NAME).acquireAsync(PATIENCE);
            awaitWaiters(holder, 1);
            redis.resetCounts();
            assertThat(next.breakLock(next.inspect(NAME).orElseThrow())).isPresent();
            // Told, and not found out when the broken lease would have ended.
            assertThat(redis.calls("publish")).isPositive();
            Lease second = waiting.get();
            await().atMost(PATIENCE).until(() -> !broken.isValid());
            // Compare before delete: closing what was broken must not touch its successor.
            broken.close();
            assertThat(next.inspect(NAME)).isPresent();
            assertThat(second.isValid()).isTrue();
            second.close();
        }
    }

    @Test
    void anotherNamespaceOrVersionIsAnotherLock() throws Exception {
        // The same name in two namespaces, beside keys of another wire version: none of them touches the others.
        String theirs = "holdfast:3:{" + Keys.bucket(NAME) + "}:lock:" + NAME;
        redis.call("SET", theirs, "whatever version 3 is");
        try (Holdfast plain = client();
                Holdfast shop = Holdfast.over(
                        Patient.builder(redis.url()).namespace("shop").connect());
                Lease one = plain.lock(NAME).acquire(PATIENCE);
                Lease two = shop.lock(NAME).acquire(PATIENCE)) {
            assertThat(one.isValid() && two.isValid()).isTrue();
            assertThat(plain.list("", 10)).hasSize(1);
            assertThat(shop.list("", 10)).hasSize(1);
        }
        assertThat(redis.text("GET", theirs)).isEqualTo("whatever version 3 is");
    }

    @Test
    void aNamespaceThatIsCalledLikeAPartOfTheKeyConfusesNoPush() throws Exception {
        // The name that was pushed used to begin in the middle of the key, and nobody waited for that.
        List<String> disturbances = new CopyOnWriteArrayList<>();
        try (Holdfast holder = inNamespaceLock(disturbances);
                Holdfast waiter = inNamespaceLock(disturbances)) {
            Lease lease = holder.lock(NAME).acquire(PATIENCE);
            CompletableFuture<Lease> next = waiter.lock(NAME).acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> holder.inspect(NAME).orElseThrow().waiters().size() == 1);
            lease.close();
            next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        }
        assertThat(disturbances).noneMatch(text -> text.contains("does not fit"));
    }

    private static Holdfast inNamespaceLock(List<String> disturbances) {
        return Holdfast.builder(Patient.builder(redis.url()).namespace("lock").connect())
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        disturbances.add(notice.text());
                    }
                })
                .build();
    }
}
