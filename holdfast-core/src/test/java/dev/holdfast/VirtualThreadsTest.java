package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs on a JDK that has virtual threads, with one carrier: whoever blocks it stops everybody. */
@Tag("virtual-threads")
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadsTest {
    private static final int THREADS = 4_000;
    private static final int NAMES = 4;

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = Holdfast.over(backend);
    private final Holdfast rival = Holdfast.over(backend.another());
    private final int[] inside = new int[NAMES];
    private final int[] served = new int[NAMES];
    private final AtomicInteger overlaps = new AtomicInteger();

    @Test
    void thousandsOfVirtualThreadsTakeTurnsOnAFewNames() throws Exception {
        // Two clients, four names, four thousand virtual threads, each parking with its lease in hand.
        // Counters without any protection of their own: only the lock keeps them right.
        try (Holdfast one = holdfast;
                Holdfast other = rival) {
            runAll(i -> {
                try (Lease lease =
                        (i % 2 == 0 ? one : other).lock("n" + i % NAMES).acquire(Duration.ofSeconds(100))) {
                    use(i % NAMES);
                    return lease.isValid();
                }
            });
        }
        assertThat(overlaps).hasValue(0);
        assertThat(served).containsOnly(THREADS / NAMES);
    }

    @Test
    void interruptedVirtualThreadsLeaveAndTheOthersAreServed() throws Exception {
        // All wait behind held locks; every third thread is interrupted before they are freed and again after. Nobody
        // else
        // may notice.
        AtomicInteger interrupted = new AtomicInteger();
        List<Thread> waiting = new ArrayList<>();
        try (Holdfast one = holdfast;
                Holdfast other = rival) {
            Lease[] first = new Lease[NAMES];
            for (int n = 0; n < NAMES; n++) {
                first[n] = one.lock("n" + n).acquire();
            }
            List<Future<Boolean>> results = new ArrayList<>();
            try (Closing executor = new Closing(newVirtualThreads())) {
                for (int i = 0; i < THREADS; i++) {
                    int number = i;
                    results.add(executor.service.submit(() -> {
                        synchronizedAdd(waiting, number % 3 == 0);
                        try (Lease lease = (number % 2 == 0 ? one : other)
                                .lock("n" + number % NAMES)
                                .acquire()) {
                            use(number % NAMES);
                            return lease.isValid();
                        } catch (InterruptedException e) {
                            interrupted.incrementAndGet();
                            return true;
                        }
                    }));
                }
                interruptAll(waiting);
                for (Lease lease : first) {
                    lease.close();
                }
                interruptAll(waiting);
                for (Future<Boolean> result : results) {
                    assertThat(result.get(100, TimeUnit.SECONDS)).isTrue();
                }
            }
        }
        assertThat(overlaps).hasValue(0);
        int all = 0;
        for (int each : served) {
            all += each;
        }
        assertThat(all + interrupted.get()).isEqualTo(THREADS);
        assertThat(all).isGreaterThanOrEqualTo(THREADS - THREADS / 3 - 1);
    }

    private static void synchronizedAdd(List<Thread> threads, boolean add) {
        if (add) {
            synchronized (threads) {
                threads.add(Thread.currentThread());
            }
        }
    }

    private static void interruptAll(List<Thread> threads) {
        List<Thread> now;
        synchronized (threads) {
            now = List.copyOf(threads);
        }
        now.forEach(Thread::interrupt);
    }

    private void use(int name) {
        if (++inside[name] != 1) {
            overlaps.incrementAndGet();
        }
        served[name]++;
        // Leaves the carrier to the others, with the lease in hand.
        LockSupport.parkNanos(1_000);
        if (--inside[name] != 0) {
            overlaps.incrementAndGet();
        }
    }

    private interface Numbered {
        boolean run(int number) throws Exception;
    }

    private static void runAll(Numbered task) throws Exception {
        try (Closing executor = new Closing(newVirtualThreads())) {
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                tasks.add(() -> task.run(number));
            }
            for (Future<Boolean> result : executor.service.invokeAll(tasks)) {
                assertThat(result.get()).isTrue();
            }
        }
    }

    /** The method exists only on the JDK this is for. */
    private static ExecutorService newVirtualThreads() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private record Closing(ExecutorService service) implements AutoCloseable {
        @Override
        public void close() {
            service.shutdownNow();
        }
    }
}
