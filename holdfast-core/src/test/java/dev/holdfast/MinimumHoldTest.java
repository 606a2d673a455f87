package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lock that is closed early stays taken for its minimum, and not for longer. */
class MinimumHoldTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTES = Duration.ofMinutes(5);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = open(backend);
    private final Holdfast rival = open(backend.another());
    private final DistributedLock lock = holdfast.lock("job").heldAtLeast(MINUTES);

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client).environment(time).build();
    }

    @Test
    void itStaysTakenForLongerThanAnyLeaseThoughItsHolderHasGone() throws Exception {
        Lease lease = lock.acquireAsync().join();
        CompletableFuture<Lease> waiting = rival.lock("job").acquireAsync();
        time.advance(SECOND);
        assertThat(lease.releaseAsync()).isCompleted();
        assertThat(lease.isValid()).isFalse();
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES.minus(SECOND));
        holdfast.close();
        time.advance(MINUTES.minus(SECOND.multipliedBy(2)));
        assertThat(waiting).isNotDone();
        time.advance(SECOND);
        assertThat(waiting).isCompleted();
        assertThat(waiting.join().token()).isGreaterThan(lease.token());
    }

    @Test
    void aWaiterOfTheSameProcessWaitsForTheMinimumToo() {
        Lease lease = lock.acquireAsync().join();
        CompletableFuture<Lease> next = lock.acquireAsync();
        lease.close();
        time.advance(MINUTES.minus(SECOND));
        assertThat(next).isNotDone();
        time.advance(SECOND);
        assertThat(next).isCompleted();
    }

    @Test
    void aLeaseThatIsClosedAfterItsMinimumFreesTheLockAtOnce() throws Exception {
        Lease lease = lock.acquireAsync().join();
        time.advance(MINUTES);
        assertThat(lease.isValid()).isTrue();
        lease.close();
        assertThat(rival.lock("job").tryAcquire()).isPresent();
    }

    @Test
    void aProcessThatDiesBeforeClosingFreesTheLockAfterOneLease() {
        lock.acquireAsync().join();
        CompletableFuture<Lease> waiting = rival.lock("job").acquireAsync();
        backend.controls().disconnect();
        time.advance(Duration.ofSeconds(31));
        assertThat(waiting).isCompleted();
    }

    @Test
    void aReleaseThatFailsIsRepeatedAndNeverFreesTheLockBeforeItsMinimum() throws Exception {
        // What is unconfirmed is withdrawn elsewhere: here that would free the lock too early.
        Lease lease = lock.acquireAsync().join();
        backend.controls().disconnect();
        assertThat(lease.releaseAsync()).isCompletedExceptionally();
        time.advance(SECOND.multipliedBy(3));
        backend.controls().reconnect();
        time.advance(SECOND.multipliedBy(5));
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES.minus(SECOND.multipliedBy(8)));
        CompletableFuture<Lease> waiting = rival.lock("job").acquireAsync();
        time.advance(MINUTES.minus(SECOND.multipliedBy(8)));
        assertThat(waiting).isCompleted();
    }

    @Test
    void aMinimumThatCannotBeKeptIsTold() throws Exception {
        // The store has let go of the lock before its holder closes it. Nobody heard that its minimum was over as well.
        List<BackendNotice> notices = new ArrayList<>();
        try (Holdfast told = Holdfast.builder(backend.another())
                .environment(time)
                .executor(Runnable::run)
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        notices.add(notice);
                    }
                })
                .build()) {
            Lease lease = told.lock("job").heldAtLeast(MINUTES).acquireAsync().join();
            backend.controls().expireNow("job");
            assertThat(lease.releaseAsync()).isCompleted();
            assertThat(notices)
                    .singleElement()
                    .satisfies(
                            notice -> assertThat(notice.toString()).contains("minimum hold of lock 'job'", "not kept"));
        }
    }

    @Test
    void theTimeMayBeGivenWhenTheLeaseIsClosed() throws Exception {
        Lease lease = holdfast.lock("job").acquireAsync().join();
        time.advance(SECOND);
        assertThat(lease.releaseAsync(MINUTES)).isCompleted();
        assertThat(lease.isValid()).isFalse();
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES);
        // Closing it again changes nothing: the first call counts.
        lease.close();
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES);
        time.advance(MINUTES);
        assertThat(rival.lock("job").tryAcquire()).isPresent();
    }

    @Test
    void ofTwoMinimaTheLaterEndCounts() throws Exception {
        lock.acquireAsync().join().releaseAsync(SECOND);
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES);
        time.advance(MINUTES);
        lock.acquireAsync().join().releaseAsync(MINUTES.multipliedBy(2));
        assertThat(rival.inspect("job").orElseThrow().remaining()).isEqualTo(MINUTES.multipliedBy(2));
    }

    @Test
    void keepingForNoTimeIsAPlainRelease() throws Exception {
        holdfast.lock("job").acquireAsync().join().releaseAsync(Duration.ZERO);
        assertThat(rival.lock("job").tryAcquire()).isPresent();
    }

    @Test
    void itCannotBeLongerThanTheLongestTime() {
        assertThatThrownBy(() -> lock.heldAtMost(SECOND)).isInstanceOf(IllegalArgumentException.class);
        DistributedLock bounded = holdfast.lock("job").heldAtMost(SECOND);
        assertThatThrownBy(() -> bounded.heldAtLeast(MINUTES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("heldAtLeast (300.0 s) is longer than heldAtMost (1.0 s)");
    }
}
