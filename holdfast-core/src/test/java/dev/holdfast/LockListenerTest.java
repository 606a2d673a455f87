package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LockListenerTest {
    private final InMemoryBackend backend = new InMemoryBackend();

    @Test
    void hearsEverythingInOrder() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(4);
        LockListener listener = new LockListener() {
            @Override
            public void acquired(LockKey lock, FencingToken token, Duration waited) {
                hear("acquired " + token);
            }

            @Override
            public void released(LockKey lock, FencingToken token, Duration held) {
                hear("released " + token);
            }

            @Override
            public void lost(Loss loss) {
                hear("lost " + loss.token());
            }

            private void hear(String what) {
                heard.add(what);
                all.countDown();
            }
        };
        try (Holdfast holdfast = Holdfast.builder(backend).listener(listener).build()) {
            Lease first = holdfast.lock("a").acquire();
            first.close();
            Lease second = holdfast.lock("a").acquire();
            backend.controls().lose("a");
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(heard)
                    .containsExactly(
                            "acquired " + first.token(),
                            "released " + first.token(),
                            "acquired " + second.token(),
                            "lost " + second.token());
        }
    }

    @Test
    void oneThatThrowsOrBlocksHarmsNobody() throws Exception {
        // It throws at first and blocks from then on; far more events than are kept for it follow.
        CountDownLatch forEver = new CountDownLatch(1);
        LockListener listener = new LockListener() {
            private int events;

            @Override
            public void acquired(LockKey lock, FencingToken token, Duration waited) {
                if (events++ < 3) {
                    throw new IllegalStateException("on purpose");
                }
                try {
                    forEver.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        try (Holdfast holdfast = Holdfast.builder(backend).listener(listener).build()) {
            for (int i = 0; i < 20_000; i++) {
                holdfast.lock("a").acquire(Duration.ofSeconds(20)).close();
            }
            assertThat(holdfast.inspect("a")).isEmpty();
        } finally {
            forEver.countDown();
        }
    }

    @Test
    void oneThatThrowsACheckedExceptionGoesOnHearing() throws Exception {
        // Kotlin and Lombok throw them undeclared. One of them used to silence the listener for ever.
        CountDownLatch heard = new CountDownLatch(5);
        LockListener listener = new LockListener() {
            @Override
            public void acquired(LockKey lock, FencingToken token, Duration waited) {
                heard.countDown();
                throw Sneaky.checked();
            }
        };
        try (Holdfast holdfast = Holdfast.builder(backend).listener(listener).build()) {
            for (int i = 0; i < 5; i++) {
                holdfast.lock("a").acquire(Duration.ofSeconds(20)).close();
            }
            assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anExecutorThatFailsOnceDoesNotSilenceTheListener() throws Exception {
        // The first event finds no thread. Nothing was heard after it any more.
        CountDownLatch heard = new CountDownLatch(3);
        AtomicInteger tasks = new AtomicInteger();
        Executor failsOnce = task -> {
            if (tasks.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        };
        LockListener listener = new LockListener() {
            @Override
            public void acquired(LockKey lock, FencingToken token, Duration waited) {
                heard.countDown();
            }
        };
        try (Holdfast holdfast =
                Holdfast.builder(backend).listener(listener).executor(failsOnce).build()) {
            for (int i = 0; i < 3; i++) {
                holdfast.lock("a").acquireAsync().get(20, TimeUnit.SECONDS).close();
            }
            assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anExecutorThatWasShutDownHangsNobody() throws Exception {
        var executor = java.util.concurrent.Executors.newSingleThreadExecutor();
        try (Holdfast holdfast = Holdfast.builder(backend).executor(executor).build()) {
            executor.shutdown();
            Lease lease = holdfast.lock("a").acquireAsync().get(20, TimeUnit.SECONDS);
            lease.close();
        }
    }
}
