package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Elections on real threads and in real time, with everything that can go wrong at once. */
@Timeout(300)
class ElectionStormTest {
    private static final int EVENTS = 400;

    private final InMemoryBackend store = new InMemoryBackend();
    private final AtomicInteger beside = new AtomicInteger();
    private final AtomicInteger led = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);

    /** One candidate with tasks that return, throw, obey, linger, and now and then do not end before the test does. */
    private final class Candidate {
        final Holdfast holdfast;
        final SplittableRandom random;
        final AtomicInteger running = new AtomicInteger();
        Candidacy candidacy;

        Candidate(Holdfast holdfast, long seed) {
            this.holdfast = holdfast;
            this.random = new SplittableRandom(seed);
            this.candidacy = start();
        }

        Candidacy start() {
            SplittableRandom own = random.split();
            return holdfast.election("e").withLease(Duration.ofMillis(200)).start(lease -> lead(own));
        }

        private void lead(SplittableRandom own) throws Exception {
            if (running.incrementAndGet() != 1) {
                beside.incrementAndGet();
            }
            led.incrementAndGet();
            try {
                int kind;
                synchronized (own) {
                    kind = own.nextInt(20);
                }
                if (kind < 3) {
                    throw new IllegalStateException("a task that throws");
                }
                if (kind < 6) {
                    return;
                }
                try {
                    release.await();
                } catch (InterruptedException told) {
                    if (kind < 9) {
                        throw told;
                    }
                    if (kind < 12) {
                        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                    }
                    if (kind == 12) {
                        release.await();
                    }
                }
            } finally {
                running.decrementAndGet();
            }
        }
    }

    @Test
    void nothingIsLeftAndNoTaskIsBesideItself() throws Exception {
        List<InMemoryBackend> backends = List.of(store, store.another(), store.another());
        List<Holdfast> holdfasts = new ArrayList<>();
        List<Candidate> candidates = new ArrayList<>();
        for (InMemoryBackend each : backends) {
            Holdfast holdfast =
                    Holdfast.builder(each).closeGrace(Duration.ofMillis(20)).build();
            holdfasts.add(holdfast);
            candidates.add(new Candidate(holdfast, candidates.size()));
            candidates.add(new Candidate(holdfast, candidates.size()));
        }
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < EVENTS; i++) {
            Candidate candidate = candidates.get(random.nextInt(candidates.size()));
            InMemoryBackend backend = backends.get(random.nextInt(backends.size()));
            switch (random.nextInt(9)) {
                case 0 -> backend.controls().pause();
                case 1, 2 -> backend.controls().resume();
                case 3 -> backend.controls().disconnect();
                case 4, 5 -> backend.controls().reconnect();
                case 6 -> candidate.candidacy.resign();
                case 7 -> store.controls().lose("e");
                default -> candidate.candidacy.close();
            }
            if (candidate.candidacy.toString().endsWith("over")) {
                candidate.candidacy = candidate.start();
            }
            LockSupport.parkNanos(Duration.ofMillis(random.nextInt(20)).toNanos());
        }
        backends.forEach(each -> {
            each.controls().reconnect();
            each.controls().resume();
        });
        candidates.forEach(each -> each.candidacy.close());
        release.countDown();
        await(() ->
                candidates.stream().allMatch(each -> each.candidacy.toString().endsWith("over")));
        await(() -> free(holdfasts.get(0)));
        assertThat(beside).hasValue(0);
        assertThat(led).hasPositiveValue();
        holdfasts.forEach(each -> await(() -> each.activity().equals(new Activity(0, 0))));
        holdfasts.forEach(Holdfast::close);
        await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().equals("holdfast-leader-e")
                        || each.getName().equals("holdfast-stopper-e")));
    }

    private static boolean free(Holdfast holdfast) {
        try {
            return holdfast.election("e").leader().isEmpty();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }
}
