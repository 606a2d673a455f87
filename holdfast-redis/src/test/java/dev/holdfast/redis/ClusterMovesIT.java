package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.ClusterFailover;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slots move from one server of a cluster to another while their locks are held and waited for. */
@Timeout(400)
class ClusterMovesIT {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withoutReplicas();

    private final ClusterFailover where = new ClusterFailover(cluster);
    private final List<Holdfast> opened = new ArrayList<>();

    private Holdfast open(Duration lease) {
        Holdfast holdfast =
                Holdfast.builder(Patient.backend(cluster.url())).lease(lease).build();
        opened.add(holdfast);
        return holdfast;
    }

    @AfterEach
    void close() {
        opened.forEach(Holdfast::close);
        cluster.awaitWhole();
    }

    /** Another master than the one that keeps this name. */
    private RedisServer other(RedisServer than) {
        return cluster.masters().stream()
                .filter(each -> each != than)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSlotThatMovesBackAndForthUnderContentionKeepsExclusionOrderAndWaiters() throws Exception {
        // Four clients with two threads each on one name. Nobody may hold beside another, no token may go back, nobody
        // may be stuck.
        String name = "busy";
        int slot = where.slotOf(name);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger acquired = new AtomicInteger();
        AtomicLong highest = new AtomicLong();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> workers = new ArrayList<>();
        for (int client = 0; client < 4; client++) {
            Holdfast holdfast = open(Duration.ofSeconds(20));
            for (int thread = 0; thread < 2; thread++) {
                workers.add(threads.submit(() -> {
                    while (!over.get()) {
                        try (Lease lease = holdfast.lock(name).acquire(PATIENCE)) {
                            assertThat(holders.incrementAndGet()).isEqualTo(1);
                            long token = lease.token().value();
                            assertThat(highest.getAndSet(token)).isLessThan(token);
                            acquired.incrementAndGet();
                            holders.decrementAndGet();
                        }
                    }
                    return null;
                }));
            }
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG ? 60 : 6);
        int moves = 0;
        // At least so many, and so many acquisitions between them, however slow the machine.
        while (System.nanoTime() - end < 0 || moves <= 5 || acquired.get() <= moves) {
            RedisServer from = where.masterOf(name);
            cluster.move(slot, from, other(from));
            moves++;
            // A slot that moves faster than servers gossip is lost by Redis itself: each takes the other for its owner.
            cluster.awaitOneEpoch();
            TimeUnit.MILLISECONDS.sleep(300);
        }
        over.set(true);
        for (Future<?> worker : workers) {
            worker.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        threads.shutdown();
        System.out.println("measured: " + moves + " moves of a slot under " + acquired + " acquisitions");
        assertThat(moves).isGreaterThan(5);
        assertThat(acquired.get()).isGreaterThan(moves);
        try (Lease lease = opened.get(0).lock(name).acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void leasesAreRenewedWhileTheirSlotStandsBetweenTwoServers() throws Exception {
        // Two names of one slot, one moved and one not yet: one request for both is answered TRYAGAIN, one for each is
        // not.
        Holdfast holder = open(Duration.ofSeconds(8));
        List<String> names = namesOfOneSlot(2);
        int slot = where.slotOf(names.get(0));
        Lease first = holder.lock(names.get(0)).acquire(PATIENCE);
        Lease second = holder.lock(names.get(1)).acquire(PATIENCE);
        RedisServer from = where.masterOf(names.get(0));
        RedisServer to = other(from);
        cluster.begin(slot, from, to);
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(names.get(0))));
        awaitRenewals(2, first, second);
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(names.get(1))));
        cluster.finishMove(slot, from, to);
        first.close();
        second.close();
        for (String name : names) {
            open(Duration.ofSeconds(10)).lock(name).acquire(PATIENCE).close();
        }
    }

    /** Until each of them was renewed so often. If one is not, it ends. */
    private static void awaitRenewals(int count, Lease... leases) throws InterruptedException {
        for (Lease lease : leases) {
            int renewals = 0;
            Duration before = lease.remaining();
            while (renewals < count) {
                assertThat(leases).allMatch(Lease::isValid);
                Duration now = lease.remaining();
                renewals += now.compareTo(before) > 0 ? 1 : 0;
                before = now;
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @Test
    void whatIsReleasedWhileItsSlotStandsBetweenTwoServersIsHandedOverAfterwards() throws Exception {
        Duration lease = Duration.ofSeconds(60);
        Holdfast holder = open(lease);
        Holdfast waiting = open(lease);
        String name = "between";
        int slot = where.slotOf(name);
        Lease held = holder.lock(name).acquire(PATIENCE);
        CompletableFuture<Lease> served = waiting.lock(name).acquireAsync(PATIENCE);
        RedisCluster.await(
                "the waiter is queued",
                () -> holder.inspect(name)
                        .map(state -> state.waiters().size() == 1)
                        .orElse(false));
        RedisServer from = where.masterOf(name);
        RedisServer to = other(from);
        cluster.begin(slot, from, to);
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(name)));
        held.releaseAsync();
        assertThat(served).isNotDone();
        cluster.finishMove(slot, from, to);
        long moved = System.nanoTime();
        try (Lease next = served.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
        assertThat(System.nanoTime() - moved).isLessThan(lease.toNanos() / 2);
    }

    @Test
    void aServerThatIsAddedTakesOverASlotAndOneThatLosesItsSlotsIsLeft() throws Exception {
        Holdfast holder = open(Duration.ofSeconds(60));
        String name = "added";
        int slot = where.slotOf(name);
        Lease lease = holder.lock(name).acquire(PATIENCE);
        RedisServer from = where.masterOf(name);
        RedisServer added = cluster.add();
        cluster.move(slot, from, added);
        assertThat(Patient.tryAcquire(open(Duration.ofSeconds(20)), name)).isEmpty();
        assertThat(lease.isValid()).isTrue();
        lease.close();
        cluster.move(slot, added, from);
        open(Duration.ofSeconds(20)).lock(name).acquire(PATIENCE).close();
        cluster.forget(added);
        holder.lock(name).acquire(PATIENCE).close();
    }

    /** Names in one bucket. */
    private List<String> namesOfOneSlot(int count) {
        int bucket = Keys.bucket("slot-0");
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "slot-" + i)
                .filter(name -> Keys.bucket(name) == bucket)
                .limit(count)
                .toList();
    }
}
