package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("LockNotBeforeTry") // Locking and unlocking step by step is what is tested here.
class LockAdapterTest {
    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast =
            Holdfast.builder(backend).closeGrace(java.time.Duration.ZERO).build();
    private final Lock lock = holdfast.lock("a").asLock();

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void isReentrantForItsThreadAcrossAdaptersOfTheSameName() throws Exception {
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(holdfast.lock("a").asLock().tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(otherThreadGetsIt()).isFalse();
        lock.unlock();
        assertThat(otherThreadGetsIt()).isTrue();
    }

    @Test
    void isBusyForOtherThreads() throws Exception {
        lock.lock();
        assertThat(otherThreadGetsIt()).isFalse();
        lock.unlock();
        assertThat(otherThreadGetsIt()).isTrue();
    }

    @Test
    void unlockingWhatThisThreadDoesNotHoldIsRefused() throws Exception {
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        Throwable inOtherThread = CompletableFuture.runAsync(lock::unlock)
                .handle((ok, e) -> e)
                .get()
                .getCause();
        assertThat(inOtherThread)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("does not hold lock 'a'")
                .hasMessageContaining("nothing was released");
        lock.unlock();
    }

    @Test
    void unlockSaysThatTheLeaseWasLostBecauseNothingElseCan() {
        lock.lock();
        backend.controls().lose("a");
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class).hasMessageContaining("lost its memory");
        // The thread holds nothing any more, and can lock again.
        lock.lock();
        lock.unlock();
    }

    @Test
    void lockKeepsAnInterruptAndDoesNotGiveUp() throws Exception {
        lock.lock();
        CompletableFuture<Boolean> interruptKept = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            Thread.currentThread().interrupt();
            lock.lock();
            interruptKept.complete(Thread.interrupted());
            lock.unlock();
        });
        waiting.start();
        assertThat(interruptKept).isNotDone();
        lock.unlock();
        assertThat(interruptKept.get(20, TimeUnit.SECONDS)).isTrue();
        waiting.join();
    }

    @Test
    void lockInterruptiblyGivesUp() throws Exception {
        lock.lock();
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                lock.lockInterruptibly();
                outcome.complete(null);
            } catch (InterruptedException e) {
                outcome.complete(e);
            }
        });
        waiting.start();
        waiting.interrupt();
        assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        lock.unlock();
        assertThat(otherThreadGetsIt()).isTrue();
    }

    @Test
    void conditionsAreRefusedWithTheReason() {
        assertThatThrownBy(lock::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("across processes");
    }

    @Test
    void anEndlessTimedTryIsAccepted() throws Exception {
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS)).isTrue();
        assertThat(holdfast.lock("b").asLock().tryLock(Long.MAX_VALUE, TimeUnit.DAYS))
                .isTrue();
        lock.unlock();
    }

    private boolean otherThreadGetsIt() throws Exception {
        return CompletableFuture.supplyAsync(() -> {
                    boolean got = lock.tryLock();
                    if (got) {
                        lock.unlock();
                    }
                    return got;
                })
                .get(20, TimeUnit.SECONDS);
    }
}
