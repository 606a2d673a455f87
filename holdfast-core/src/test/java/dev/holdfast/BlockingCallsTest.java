package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.Environment;
import dev.holdfast.testing.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The blocking face: interrupts, the lambda form, messages for whoever waits for itself. */
class BlockingCallsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast =
            Holdfast.builder(backend).closeGrace(java.time.Duration.ZERO).build();
    private final DistributedLock lock = holdfast.lock("a");

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void anInterruptedWaiterWithdrawsAndHoldsNothing() throws Exception {
        Lease held = lock.acquire();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                lock.acquire();
            } catch (InterruptedException e) {
                thrown.set(e);
            }
        });
        waiting.start();
        waiting.interrupt();
        waiting.join(LONG.toMillis());
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class).hasMessageContaining("nothing is held");
        held.close();
        try (Lease next = lock.tryAcquire().orElseThrow()) {
            assertThat(next.isValid()).isTrue();
        }
        assertThat(holdfast.health(LONG).names()).isZero();
    }

    @Test
    void aGrantThatWinsTheRaceAgainstAnInterruptIsGivenBack() throws Exception {
        // The grant is decided but not yet delivered when the interrupt comes: the deliverer stands still in between.
        CountDownLatch delivering = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScriptedBackend scripted = new ScriptedBackend();
        Environment stopping = new StoppingEnvironment(delivering, goOn);
        try (Holdfast slow = Holdfast.builder(scripted)
                .environment(stopping)
                .closeGrace(Duration.ZERO)
                .build()) {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread waiting = new Thread(() -> {
                try {
                    outcome.complete(new AssertionError("got " + slow.lock("a").acquire()));
                } catch (InterruptedException e) {
                    outcome.complete(e);
                }
            });
            waiting.start();
            ScriptedBackend.Asked question = scripted.awaitQuestion();
            // Before that it sets the alarm for its question, and would itself deliver an answer that is already there.
            while (waiting.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            Thread answering = new Thread(() -> question.grant(16, Long.MAX_VALUE / 2));
            stoppingOn.set(answering);
            answering.start();
            delivering.await();
            waiting.interrupt();
            while (waiting.isInterrupted()) {
                Thread.onSpinWait();
            }
            assertThat(outcome).isNotDone();
            goOn.countDown();
            scripted.awaitRelease().answer().complete(true);
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        }
    }

    private final AtomicReference<Thread> stoppingOn = new AtomicReference<>();

    /** A clock whose scheduler stands still when told to. */
    private final class StoppingEnvironment implements Environment {
        private final ManualTime time = new ManualTime();
        private final CountDownLatch reached;
        private final CountDownLatch goOn;

        StoppingEnvironment(CountDownLatch reached, CountDownLatch goOn) {
            this.reached = reached;
            this.goOn = goOn;
        }

        @Override
        public Scheduled schedule(long delayNanos, Runnable task) {
            if (stoppingOn.compareAndSet(Thread.currentThread(), null)) {
                reached.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return time.schedule(delayNanos, task);
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public long wallMicros() {
            return time.wallMicros();
        }

        @Override
        public Executor blocking() {
            return time.blocking();
        }

        @Override
        public RandomGenerator random() {
            return time.random();
        }
    }

    @Test
    void anInterruptedThreadDoesNotEvenAsk() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::acquire).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(holdfast.inspect("a")).isEmpty();
    }

    @Test
    void closingALeaseInAnInterruptedThreadReleasesAndKeepsTheInterrupt() throws Exception {
        Lease lease = lock.acquire();
        Thread.currentThread().interrupt();
        lease.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(holdfast.inspect("a")).isEmpty();
    }

    @Test
    void aLeaseCanBeClosedByAnotherThread() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture.runAsync(lease::close).get(20, TimeUnit.SECONDS);
        assertThat(lock.tryAcquire()).isPresent();
    }

    @Test
    void theLambdaFormReturnsWhatTheSectionReturnedAndReleases() throws Exception {
        long token = lock.call(LONG, lease -> lease.token().value());
        assertThat(token).isPositive();
        assertThat(holdfast.inspect("a")).isEmpty();
    }

    @Test
    void theLambdaFormNeedsNeitherALimitNorAResult() throws Exception {
        assertThat(lock.<String, RuntimeException>call(lease -> null)).isNull();
        List<FencingToken> seen = new ArrayList<>();
        lock.run(lease -> seen.add(lease.token()));
        lock.run(LONG, lease -> {
            seen.add(lease.token());
            assertThat(lock.tryAcquire()).isEmpty();
        });
        assertThat(seen).hasSize(2).isSorted();
        assertThat(holdfast.inspect("a")).isEmpty();
        assertThatThrownBy(() -> lock.run(lease -> backend.controls().lose("a")))
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.run(LONG, lease -> {
                    throw new IOException("on purpose");
                }))
                .isInstanceOf(IOException.class);
        assertThat(holdfast.inspect("a")).isEmpty();
    }

    @Test
    void theLambdaFormPassesOnWhatTheSectionThrowsAndReleases() throws Exception {
        assertThatThrownBy(() -> lock.call(LONG, lease -> {
                    throw new IOException("on purpose");
                }))
                .isInstanceOf(IOException.class);
        assertThat(holdfast.inspect("a")).isEmpty();
    }

    @Test
    void theLambdaFormSaysThatTheLeaseWasLostMeanwhile() {
        assertThatThrownBy(() -> lock.call(LONG, lease -> {
                    backend.controls().lose("a");
                    return "done";
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("lost its memory");
    }

    @Test
    void theLambdaFormDoesNotMindASectionThatClosedItsLease() throws Exception {
        String result = lock.call(LONG, lease -> {
            lease.close();
            return "done";
        });
        assertThat(result).isEqualTo("done");
    }

    @Test
    void aThreadThatWaitsForItselfIsToldSo() throws Exception {
        try (Lease held = lock.acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(20)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("held in this process, acquired by thread '"
                            + Thread.currentThread().getName() + "'")
                    .hasMessageContaining("asLock()");
        }
    }

    @Test
    void healthTellsAnOutageFromAnAnswer() throws Exception {
        assertThat(holdfast.health(LONG).reachable()).isTrue();
        backend.controls().disconnect();
        Health down = holdfast.health(LONG);
        assertThat(down.reachable()).isFalse();
        assertThat(down.detail()).contains("disconnected by its controls");
        backend.controls().reconnect();
        assertThat(holdfast.health(LONG).reachable()).isTrue();
    }
}
