package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.ClusterFailover;
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
@Timeout(180)
class ClusterMovesIT {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withoutReplicas();

    private final ClusterFailover where = new ClusterFailover(cluster);
    private final List<Holdfast> opened = new ArrayList<>();

    private Holdfast open(Duration lease) {
        Holdfast holdfast = Holdfast.builder(RedisBackend.connect(cluster.url()))
                .lease(lease)
                .build();
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
            Holdfast holdfast = open(Duration.ofSeconds(10));
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
        while (System.nanoTime() - end < 0) {
            RedisServer from = where.masterOf(name);
            cluster.move(slot, from, other(from));
            moves++;
            // A slot that moves faster than servers gossip is lost by Redis itself: each takes the other for its owner.
            TimeUnit.MILLISECONDS.sleep(300);
        }
        over.set(true);
        for (Future<?> worker : workers) {
            worker.get(60, TimeUnit.SECONDS);
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
        Holdfast holder = open(Duration.ofSeconds(2));
        List<String> names = namesOfOneSlot(2);
        int slot = where.slotOf(names.get(0));
        Lease first = holder.lock(names.get(0)).acquire(PATIENCE);
        Lease second = holder.lock(names.get(1)).acquire(PATIENCE);
        RedisServer from = where.masterOf(names.get(0));
        RedisServer to = other(from);
        cluster.begin(slot, from, to);
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(names.get(0))));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (System.nanoTime() - end < 0) {
            assertThat(first.isValid()).isTrue();
            assertThat(second.isValid()).isTrue();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(names.get(1))));
        cluster.finishMove(slot, from, to);
        first.close();
        second.close();
        for (String name : names) {
            open(Duration.ofSeconds(10)).lock(name).acquire(PATIENCE).close();
        }
    }

    @Test
    void whatIsReleasedWhileItsSlotStandsBetweenTwoServersIsHandedOverAfterwards() throws Exception {
        Holdfast holder = open(Duration.ofSeconds(20));
        Holdfast waiting = open(Duration.ofSeconds(20));
        String name = "between";
        int slot = where.slotOf(name);
        Lease lease = holder.lock(name).acquire(PATIENCE);
        CompletableFuture<Lease> served = waiting.lock(name).acquireAsync(Duration.ofSeconds(60));
        RedisCluster.await(
                "the waiter is queued",
                () -> holder.inspect(name)
                        .map(state -> state.waiters().size() == 1)
                        .orElse(false));
        RedisServer from = where.masterOf(name);
        RedisServer to = other(from);
        cluster.begin(slot, from, to);
        RedisCluster.migrate(from, to, List.of(Keys.standard().lock(name)));
        lease.releaseAsync();
        assertThat(served).isNotDone();
        cluster.finishMove(slot, from, to);
        long moved = System.nanoTime();
        try (Lease next = served.get(60, TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(lease.token());
        }
        assertThat(System.nanoTime() - moved).isLessThan(TimeUnit.SECONDS.toNanos(15));
    }

    @Test
    void aServerThatIsAddedTakesOverASlotAndOneThatLosesItsSlotsIsLeft() throws Exception {
        Holdfast holder = open(Duration.ofSeconds(20));
        String name = "added";
        int slot = where.slotOf(name);
        Lease lease = holder.lock(name).acquire(PATIENCE);
        RedisServer from = where.masterOf(name);
        RedisServer added = cluster.add();
        cluster.move(slot, from, added);
        assertThat(open(Duration.ofSeconds(20)).lock(name).tryAcquire(Duration.ofMillis(500)))
                .isEmpty();
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
