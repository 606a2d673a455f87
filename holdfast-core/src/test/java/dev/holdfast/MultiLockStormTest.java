package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads in two clients, with sets of names that overlap, and a store that stalls. */
@Timeout(300)
class MultiLockStormTest {
    private static final int THREADS = 200;
    private static final int NAMES = 6;
    private static final int ROUNDS = 25;

    private final InMemoryBackend store = new InMemoryBackend();
    private final AtomicIntegerArray inside = new AtomicIntegerArray(NAMES);
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void overlappingSetsNeverDeadlockNeverOverlapAndLeaveNothing(boolean stalling) throws Exception {
        // Each takes two to five of six names in an order of its own, by every way to acquire. Some are interrupted,
        // some cancel.
        InMemoryBackend another = store.another();
        try (Holdfast one = Holdfast.over(store);
                Holdfast other = Holdfast.over(another)) {
            CompletableFuture<Void> stalls =
                    stalling ? stallOften(List.of(store, another)) : CompletableFuture.completedFuture(null);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                running.add(threads.submit(() -> work(seed % 2 == 0 ? one : other, new SplittableRandom(seed))));
            }
            for (Future<?> each : running) {
                each.get(200, TimeUnit.SECONDS);
            }
            threads.shutdown();
            over.set(true);
            stalls.get(20, TimeUnit.SECONDS);
            assertThat(overlaps).hasValue(0);
            assertThat(served.get()).isGreaterThan(THREADS * ROUNDS / 4);
            awaitNothingHeld(one);
            awaitNothingHeld(other);
        }
    }

    /** Answers and grants are held back for some milliseconds, now here and now there. */
    private CompletableFuture<Void> stallOften(List<InMemoryBackend> backends) {
        return CompletableFuture.runAsync(
                () -> {
                    SplittableRandom random = new SplittableRandom(11);
                    while (!over.get()) {
                        InMemoryBackend backend = backends.get(random.nextInt(backends.size()));
                        backend.controls().pause();
                        LockSupport.parkNanos(random.nextInt(5_000_000));
                        backend.controls().resume();
                        LockSupport.parkNanos(random.nextInt(2_000_000));
                    }
                },
                task -> new Thread(task, "stalls").start());
    }

    private Void work(Holdfast holdfast, SplittableRandom random) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            MultiLock lock = holdfast.lockAll(names(random));
            switch (random.nextInt(6)) {
                case 0 -> cancelled(lock, random);
                case 1 -> interrupted(lock, random);
                case 2 -> lock.tryAcquire().ifPresent(this::use);
                case 3 -> limited(lock, random);
                case 4 -> use(lock.acquireAsync().get(200, TimeUnit.SECONDS));
                default -> use(lock.acquire());
            }
        }
        return null;
    }

    private static List<String> names(SplittableRandom random) {
        List<String> names = new ArrayList<>();
        int first = random.nextInt(NAMES);
        int count = 2 + random.nextInt(4);
        int step = random.nextBoolean() ? 1 : NAMES - 1;
        for (int i = 0; i < count; i++) {
            names.add("n" + (first + i * step) % NAMES);
        }
        return names;
    }

    private void limited(MultiLock lock, SplittableRandom random) throws InterruptedException {
        try {
            lock.tryAcquire(Duration.ofMillis(random.nextInt(20))).ifPresent(this::use);
        } catch (LockUnavailableException e) {
            // So short a wait may end before the store has said anything.
        }
    }

    private void cancelled(MultiLock lock, SplittableRandom random) {
        CompletableFuture<MultiLease> future = lock.acquireAsync();
        for (int i = random.nextInt(2_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        if (!future.cancel(false)) {
            use(future.join());
        }
    }

    private void interrupted(MultiLock lock, SplittableRandom random) {
        Thread me = Thread.currentThread();
        int spins = random.nextInt(2_000);
        CompletableFuture<Void> interruption = CompletableFuture.runAsync(() -> {
            for (int i = spins; i > 0; i--) {
                Thread.onSpinWait();
            }
            me.interrupt();
        });
        try {
            MultiLease leases = lock.acquire();
            interruption.join();
            use(leases);
        } catch (InterruptedException e) {
            // Nothing is held: the end of the test looks.
        }
        interruption.join();
        Thread.interrupted();
    }

    private void use(MultiLease leases) {
        try (leases) {
            for (String name : leases.names()) {
                if (inside.incrementAndGet(name.charAt(1) - '0') != 1) {
                    overlaps.incrementAndGet();
                }
            }
            Thread.onSpinWait();
            for (String name : leases.names()) {
                inside.decrementAndGet(name.charAt(1) - '0');
            }
            served.incrementAndGet();
        }
    }

    /** What was cancelled is given back without waiting for it. */
    private static void awaitNothingHeld(Holdfast holdfast) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!holdfast.list("", 10).isEmpty() || !holdfast.activity().equals(new Activity(0, 0))) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.sleep(5);
        }
    }
}
