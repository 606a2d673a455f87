package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
    private final AtomicBoolean noThreads = new AtomicBoolean();
    private final AtomicInteger threadsMade = new AtomicInteger();
    private final ThreadFactory factory = task -> {
        threadsMade.incrementAndGet();
        Thread thread = noThreads.get() ? new Unstartable(task) : new Thread(task, "pool");
        thread.setDaemon(true);
        return thread;
    };
    private final WorkerPool pool = new WorkerPool(factory, 4);

    /** What the JVM does when the machine has no thread left. */
    private static final class Unstartable extends Thread {
        Unstartable(Runnable task) {
            super(task);
        }

        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    @Test
    void moreTasksThanThreadsWaitTheirTurn() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(50);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 50; i++) {
            pool.execute(() -> {
                threads.add(Thread.currentThread());
                awaitQuietly(goOn);
                all.countDown();
            });
        }
        assertThat(threadsMade).hasValue(4);
        goOn.countDown();
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(threads).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void anIdleThreadIsUsedAgain() throws Exception {
        Thread first = ranOn();
        for (int i = 0; i < 100; i++) {
            awaitIdle(first);
            assertThat(ranOn()).isSameAs(first);
        }
        assertThat(threadsMade).hasValue(1);
    }

    @Test
    void withoutAnyThreadTheCallerIsToldAndNothingStays() throws Exception {
        noThreads.set(true);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> pool.execute(ran::incrementAndGet))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("unable to create native thread");
        }
        // As soon as there are threads again it works again, and what was refused is not done after all.
        noThreads.set(false);
        ranOn();
        assertThat(ran).hasValue(0);
    }

    @Test
    void aThreadThatIsThereDoesWhatNoneCouldBeStartedFor() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Thread> busy = new CompletableFuture<>();
        pool.execute(() -> {
            busy.complete(Thread.currentThread());
            awaitQuietly(goOn);
        });
        Thread only = busy.get(20, TimeUnit.SECONDS);
        noThreads.set(true);
        List<CompletableFuture<Thread>> later = new ArrayList<>();
        // The one thread may not be counted as started yet: then the caller is told, and may try again.
        while (later.size() < 3) {
            CompletableFuture<Thread> each = new CompletableFuture<>();
            try {
                pool.execute(() -> each.complete(Thread.currentThread()));
                later.add(each);
            } catch (RejectedExecutionException e) {
                Thread.onSpinWait();
            }
        }
        goOn.countDown();
        for (CompletableFuture<Thread> each : later) {
            assertThat(each.get(20, TimeUnit.SECONDS)).isSameAs(only);
        }
    }

    @Test
    void aTaskThatThrowsOrInterruptsItsThreadDoesNotEndIt() throws Exception {
        Thread first = ranOn();
        first.setUncaughtExceptionHandler((thread, failure) -> {});
        awaitIdle(first);
        pool.execute(() -> {
            Thread.currentThread().interrupt();
            throw Sneaky.checked();
        });
        assertThat(ranOn()).isNotNull();
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    void closedItDoesWhatItHasAndTakesNothingMore() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(10);
        for (int i = 0; i < 10; i++) {
            pool.execute(() -> {
                awaitQuietly(goOn);
                all.countDown();
            });
        }
        pool.close();
        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        goOn.countDown();
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void manySubmittersLoseNothing() throws Exception {
        CountDownLatch all = new CountDownLatch(4 * 5_000);
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int j = 0; j < 5_000; j++) {
                    pool.execute(all::countDown);
                }
            });
            thread.start();
            submitters.add(thread);
        }
        for (Thread each : submitters) {
            each.join();
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private Thread ranOn() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        pool.execute(() -> thread.complete(Thread.currentThread()));
        return thread.get(20, TimeUnit.SECONDS);
    }

    private static void awaitIdle(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
