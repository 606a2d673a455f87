package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slots over five servers, of which one is wrong about them. */
@Timeout(300)
class RedlockSemaphoreIT {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final Keys KEYS = Keys.standard().ofQuorum();
    /** Of a lease that nobody renews. */
    private static final String LONG = "600000";

    @RegisterExtension
    static final Five five = Five.servers();

    private final List<Holdfast> clients = new ArrayList<>();

    private Holdfast client() {
        Holdfast client = Holdfast.over(new MinorityContract.Clients().connect(five.url()));
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
    }

    private static String lock(String name, int slot) {
        return KEYS.lock(SlotNames.of(LockKey.semaphore(name).encoded(), slot));
    }

    /** Where those who wait stand in line, once somebody does. */
    private static RedisServer home(String name) {
        String queue = KEYS.queue(LockKey.semaphore(name).encoded());
        return await().atMost(PATIENCE)
                .until(
                        () -> five.servers.stream()
                                .filter(server -> Long.valueOf(1).equals(server.call("LLEN", queue)))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void aHomeThatHasLostItsVoteGivesNobodyThePermitOfAnother() throws Exception {
        // It takes the slot for free, suggests it to a newcomer and tells who waits; the others know better.
        Lease held = client().semaphore("lost", 1).acquire(PATIENCE);
        var waiting = client().semaphore("lost", 1).acquireAsync(PATIENCE);
        home("lost").call("DEL", lock("lost", 0));
        Holdfast newcomer = client();
        assertThat(newcomer.semaphore("lost", 1).tryAcquire()).isEmpty();
        assertThat(waiting).isNotDone();
        // A newcomer that may have more finds what is free.
        try (Lease second = newcomer.semaphore("lost", 3).acquire(PATIENCE);
                Lease third = newcomer.semaphore("lost", 3).acquire(PATIENCE)) {
            assertThat(List.of(second.slot(), third.slot())).containsExactlyInAnyOrder(1, 2);
        }
        assertThat(held.isValid()).isTrue();
        held.close();
        try (Lease next = waiting.get()) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }

    @Test
    void aVoteOfNobodyAtTheHomeKeepsNobodyWaiting() throws Exception {
        // A round that was lost, by a client that died before it could take its vote back.
        Lease held = client().semaphore("left over", 1).acquire(PATIENCE);
        var waiting = client().semaphore("left over", 1).acquireAsync(PATIENCE);
        RedisServer home = home("left over");
        String value = "dead 1 77 1 1 " + LONG + " x - 1 host me";
        home.call("SET", lock("left over", 0), value, "PX", LONG);
        held.close();
        waiting.get().close();
        client().semaphore("left over", 1).tryAcquire().orElseThrow().close();
        assertThat(home.text("GET", lock("left over", 0))).isEqualTo(value);
    }

    @Test
    void whoWaitsFindsOutThatAHolderHasDied() throws Exception {
        // Nobody tells it: the leases run out at all servers.
        for (RedisServer server : five.servers) {
            server.call("SET", lock("dead", 0), "dead 1 77 1 1 1500 x - 1 host me", "PX", "1500");
        }
        try (Lease next = client().semaphore("dead", 1).acquire(PATIENCE)) {
            assertThat(next.slot()).isZero();
        }
    }

    @Test
    void noSlotHasTwoHoldersAndItsTokensGrow() throws Exception {
        // Four clients with eight threads for three slots; one client knows of two of them only.
        int slots = 3;
        AtomicReferenceArray<Lease> holders = new AtomicReferenceArray<>(slots);
        AtomicLongArray tokens = new AtomicLongArray(slots);
        List<Callable<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Holdfast client = client();
            int permits = i == 0 ? slots - 1 : slots;
            Callable<Integer> thread = () -> {
                int taken = 0;
                for (; taken < 15; taken++) {
                    Lease lease = client.semaphore("crowd", permits).acquire(PATIENCE);
                    int slot = lease.slot();
                    assertThat(slot).isLessThan(permits);
                    assertThat(holders.compareAndExchange(slot, null, lease)).isNull();
                    long token = lease.token().value();
                    assertThat(tokens.getAndSet(slot, token)).isLessThan(token);
                    holders.set(slot, null);
                    lease.close();
                }
                return taken;
            };
            threads.add(thread);
            threads.add(thread);
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads.size());
        try {
            for (Future<Integer> thread : pool.invokeAll(threads)) {
                assertThat(thread.get()).isEqualTo(15);
            }
        } finally {
            pool.shutdownNow();
        }
        // Nothing is left of their claims. Some are under way when a thread is served by another one of its process:
        // they may win a slot all the same, and give it back. If they did not, it would be taken until a lease ends,
        // which is thrice as long.
        List<Lease> all = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            all.add(clients.get(0).semaphore("crowd", slots).acquire(Duration.ofSeconds(10)));
        }
        all.forEach(Lease::close);
    }
}
