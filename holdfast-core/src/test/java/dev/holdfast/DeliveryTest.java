package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Between a grant and its delivery: whatever fails there, the lease is delivered or given back, and user code kept away. */
@Timeout(100)
class DeliveryTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MANY = SearchRun.LONG ? 20_000 : 200;

    private static final Executor NO_THREAD = task -> {
        throw new OutOfMemoryError("unable to create native thread: possibly out of memory or process limits reached");
    };

    private final ScriptedBackend scripted = new ScriptedBackend();

    @Test
    void noThreadForTheCallbackLeavesNothingHeld() throws Exception {
        // Every second task finds no thread. Its future never completed, and its lease was held and renewed for ever.
        AtomicInteger tasks = new AtomicInteger();
        Executor sometimes =
                task -> (tasks.incrementAndGet() % 2 == 0 ? NO_THREAD : (Executor) Runnable::run).execute(task);
        InMemoryBackend backend = new InMemoryBackend();
        try (Holdfast holdfast = Holdfast.builder(backend).executor(sometimes).build()) {
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                waiting.add(holdfast.lock("name " + i).acquireAsync(MINUTE));
            }
            for (CompletableFuture<Lease> each : waiting) {
                each.get(20, TimeUnit.SECONDS).close();
            }
            assertThat(holdfast.list("", MANY)).isEmpty();
        }
    }

    @Test
    void anExecutorThatRefusesMakesNobodyRunUserCodeOnTheThreadThatBroughtTheNews() throws Exception {
        // It used to run there: a callback that blocks would have stopped all answers of the store.
        Executor refuses = task -> {
            throw new RejectedExecutionException("full");
        };
        try (Holdfast holdfast = holdfastWith(refuses)) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
            CompletableFuture<String> ranOn =
                    waiting.thenApply(lease -> Thread.currentThread().getName());
            CompletableFuture<Lease> refused = holdfast.lock("b").acquireAsync(MINUTE);
            CompletableFuture<String> refusedOn =
                    refused.handle((lease, failure) -> Thread.currentThread().getName());
            Thread io = new Thread(
                    () -> {
                        scripted.asked.remove().grant(16, scripted.full(LEASE));
                        scripted.asked
                                .remove()
                                .answer()
                                .completeExceptionally(new dev.holdfast.spi.RefusedException("no"));
                    },
                    "io");
            io.start();
            io.join();
            assertThat(ranOn.get(20, TimeUnit.SECONDS)).startsWith("holdfast-spare");
            assertThat(refusedOn.get(20, TimeUnit.SECONDS)).startsWith("holdfast-spare");
        }
    }

    @Test
    void aCancelledFutureReleasesItsLeaseAtOnceThoughTheExecutorIsBusy() {
        // Granted, and the executor has no thread for the callback yet. The lease used to be held and renewed until it
        // had.
        ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
        try (Holdfast holdfast = holdfastWith(queue::add)) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            assertThat(waiting).isNotDone();
            assertThat(scripted.releases).isEmpty();
            waiting.cancel(false);
            assertThat(scripted.releases).hasSize(1);
            scripted.releases.remove().answer().complete(true);
            queue.forEach(Runnable::run);
            assertThat(scripted.releases).isEmpty();
            assertThat(scripted.withdrawals).isEmpty();
            assertThat(waiting).isCancelled();
        }
    }

    @Test
    void aFutureThatWasCancelledBeforeTheGrantIsPerformedReleasesToo() {
        // The user completes the future inside the very step that delivers.
        ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
        try (Holdfast holdfast = holdfastWith(queue::add)) {
            CompletableFuture<Lease> first = holdfast.lock("a").acquireAsync(MINUTE);
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            assertThat(first.completeExceptionally(new IllegalStateException("changed my mind")))
                    .isTrue();
            assertThat(scripted.releases).hasSize(1);
        }
    }

    @Test
    void anExecutorThatRunsATaskAndThrowsAllTheSameDeliversOnce() {
        Executor both = task -> {
            task.run();
            throw new RejectedExecutionException("too late");
        };
        AtomicInteger told = new AtomicInteger();
        try (Holdfast holdfast = holdfastWith(both)) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            waiting.join().onLost(loss -> told.incrementAndGet());
            scripted.events.lost("a", scripted.lastClaim.owner(), "on purpose");
            assertThat(scripted.releases).isEmpty();
        }
        assertThat(told).hasValue(1);
    }

    @Test
    void callbacksOfOneLeaseAreAllCalledThoughTheExecutorRefusesAndTheyThrow() throws Exception {
        // A checked exception, thrown past the compiler as Kotlin and Lombok do.
        List<CompletableFuture<Loss>> told = new ArrayList<>();
        try (Holdfast holdfast = holdfastWith(NO_THREAD)) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            Lease lease = waiting.get(20, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Loss> each = new CompletableFuture<>();
                told.add(each);
                lease.onLost(loss -> {
                    each.complete(loss);
                    throw Sneaky.checked();
                });
            }
            scripted.events.lost("a", scripted.lastClaim.owner(), "on purpose");
            for (CompletableFuture<Loss> each : told) {
                assertThat(each.get(20, TimeUnit.SECONDS).name()).isEqualTo("a");
            }
        }
    }

    @Test
    void aBackendThatThrowsAnErrorStopsNeitherTheTimerNorTheOthers() {
        // A renewal comes due, and the store's client fails with an error.
        ManualTime time = new ManualTime();
        try (Holdfast holdfast = Holdfast.builder(scripted)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build()) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            scripted.renewalsThrow = new StackOverflowError("on purpose");
            time.advance(Duration.ofSeconds(15));
            scripted.renewalsThrow = null;
            time.advance(Duration.ofSeconds(3));
            assertThat(scripted.renewals).isNotEmpty();
            CompletableFuture<Loss> told = new CompletableFuture<>();
            waiting.join().onLost(told::complete);
            time.advance(Duration.ofSeconds(12));
            assertThat(told).isCompleted();
        }
    }

    @Test
    void aSchedulerThatFailsWhileALeaseIsDeliveredLeavesNothingHeld() {
        // The alarm that renews the lease and notices its end cannot be set. Its future never completed, and nobody
        // would
        // have noticed the end of the lease.
        FaultyTime time = new FaultyTime();
        try (Holdfast holdfast = Holdfast.builder(scripted)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build()) {
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
            time.schedulesToFail = 1;
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            assertThat(scripted.releases).hasSize(1);
            assertThatThrownBy(waiting::join)
                    .hasCauseInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("no memory for another task");
        }
    }

    @Test
    void aSchedulerThatFailsOnceWhileAlarmsRingLosesNoneOfThem() {
        // Two leases, one renewed a little later than the other. The first alarm rings, and the next one cannot be set.
        FaultyTime time = new FaultyTime();
        try (Holdfast holdfast = Holdfast.builder(scripted)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build()) {
            var unused = holdfast.lock("a").acquireAsync();
            scripted.asked.remove().grant(16, scripted.full(LEASE));
            time.advance(Duration.ofSeconds(5));
            CompletableFuture<Lease> second = holdfast.lock("b").acquireAsync();
            scripted.asked.remove().grant(32, scripted.full(LEASE));
            time.schedulesToFail = 1;
            advanceThroughFailures(time, Duration.ofSeconds(6));
            assertThat(scripted.renewals).hasSize(1);
            CompletableFuture<Loss> told = new CompletableFuture<>();
            second.join().onLost(told::complete);
            advanceThroughFailures(time, LEASE);
            assertThat(told).isCompleted();
        }
    }

    /** The task of a scheduler may throw: a real one goes on with the next. */
    private static void advanceThroughFailures(FaultyTime time, Duration by) {
        for (long millis = 0; millis < by.toMillis(); millis += 10) {
            try {
                time.advance(Duration.ofMillis(10));
            } catch (IllegalStateException expected) {
                assertThat(expected).hasMessageContaining("no memory");
            }
        }
    }

    @Test
    void callbacksThatBlockTakeABoundedNumberOfThreadsAndAllAreServed() throws Exception {
        // Eight hundred callbacks, none of which returns. They used to take eight hundred threads.
        CountDownLatch goOn = new CountDownLatch(1);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Thread main = Thread.currentThread();
        try (Holdfast holdfast = Holdfast.over(new InMemoryBackend())) {
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < 800; i++) {
                done.add(holdfast.lock("name " + i).acquireAsync(MINUTE).thenAccept(lease -> {
                    // A future that was complete before this was attached runs it here.
                    if (Thread.currentThread() != main) {
                        threads.add(Thread.currentThread().getName());
                        awaitQuietly(goOn);
                    }
                    var unused = lease.releaseAsync();
                }));
            }
            // Meanwhile others are served as ever.
            holdfast.lock("another").acquire(Duration.ofSeconds(20)).close();
            goOn.countDown();
            for (CompletableFuture<Void> each : done) {
                each.get(20, TimeUnit.SECONDS);
            }
            assertThat(threads).hasSizeLessThanOrEqualTo(65);
            assertThat(holdfast.list("", 1000)).isEmpty();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aBackendThatThrowsAnErrorToAClaimIsOneThatFailed() {
        try (Holdfast holdfast = holdfastWith(Runnable::run)) {
            scripted.claimsThrow = new StackOverflowError("on purpose");
            CompletableFuture<Lease> once = holdfast.lock("a").acquireAsync(Duration.ZERO);
            assertThatThrownBy(once::join).hasCauseInstanceOf(LockUnavailableException.class);
        }
    }

    private Holdfast holdfastWith(Executor executor) {
        return Holdfast.builder(scripted)
                .executor(executor)
                .closeGrace(Duration.ZERO)
                .build();
    }
}
