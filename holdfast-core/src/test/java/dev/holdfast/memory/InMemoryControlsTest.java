package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.Loss;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testing.LockControls;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users get for their own tests: a clock that stands still, and a store that misbehaves when told. */
class InMemoryControlsTest {
    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final LockControls controls = backend.controls();
    private final InMemoryBackend rivalBackend = backend.another();
    private final Holdfast holdfast = open(backend);
    private final Holdfast rival = open(rivalBackend);

    @Test
    void aPausedHolderIsOvertakenAndItsWriteIsRefusedByItsToken() {
        // Pause the holder past its lease, let a rival acquire, resume the holder. Its write must be refused by token.
        InMemoryFence fence = new InMemoryFence("account");
        List<String> account = new ArrayList<>();
        Lease paused = holdfast.lock("a").acquireAsync().join();
        fence.announce(paused.token());
        controls.expireNow("a");

        Lease next = rival.lock("a").acquireAsync().join();
        fence.announce(next.token());
        fence.guarded(next.token(), () -> account.add("rival"));
        // The paused holder still believes in its lease: that is the point.
        assertThat(paused.isValid()).isTrue();
        assertThatThrownBy(() -> fence.guarded(paused.token(), () -> account.add("stale")))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.presented()).isEqualTo(paused.token());
                    assertThat(stale.newest()).isEqualTo(next.token());
                });
        assertThat(account).containsExactly("rival");
        // With its next renewal it learns.
        time.advance(Duration.ofSeconds(10));
        assertThat(paused.isValid()).isFalse();
    }

    @Test
    void aLostLockIsToldToItsHolder() {
        List<Loss> losses = new ArrayList<>();
        Lease lease = holdfast.lock("a").acquireAsync().join();
        lease.onLost(losses::add);
        controls.lose("a");
        assertThat(losses).extracting(Loss::kind).containsExactly(Loss.Kind.LOST);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aPausedStoreAnswersAfterResume() {
        controls.pause();
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();
        controls.resume();
        // Valid from before the question was sent, not from the answer.
        assertThat(waiting.join().remaining()).isEqualTo(Duration.ofMillis(30_000 - 1_000 - 302));
    }

    @Test
    void leasesThatOutlastAPauseAreLostOnTime() {
        Lease lease = holdfast.lock("a").acquireAsync().join();
        controls.pause();
        time.advance(Duration.ofSeconds(31));
        assertThat(lease.isValid()).isFalse();
        // The store counts the same seconds: it renewed, and nobody heard it. So it still holds.
        assertThat(rival.lock("a").acquireAsync(Duration.ZERO)).isCompletedExceptionally();
        time.advance(Duration.ofSeconds(30));
        assertThat(rival.lock("a").acquireAsync(Duration.ZERO)).isCompleted();
    }

    @Test
    void aWaiterGetsTheLockWhenACrashedHoldersLeaseEnds() {
        // The holder's process stops renewing without a word.
        Lease crashed = holdfast.lock("a").fixed().acquireAsync().join();
        CompletableFuture<Lease> waiting = rival.lock("a").acquireAsync();
        time.advance(Duration.ofMillis(29_999));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(waiting.join().token()).isGreaterThan(crashed.token());
    }

    @Test
    void aDisconnectedStoreIsUnavailableAndHealsByItself() {
        controls.disconnect();
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(2));
        assertThat(waiting).isNotDone();
        controls.reconnect();
        time.advance(Duration.ofSeconds(2));
        assertThat(waiting).isCompleted();
    }

    @Test
    void breakingNamesTheTenureThatWasSeen() throws Exception {
        Lease first = holdfast.lock("a").acquireAsync().join();
        LockState seen = rival.inspect("a").orElseThrow();
        first.close();
        Lease second = holdfast.lock("a").acquireAsync().join();
        assertThat(rival.breakLock(seen)).isEmpty();
        assertThat(second.isValid()).isTrue();
        assertThat(rival.breakLock(rival.inspect("a").orElseThrow())).isPresent();
        time.advance(Duration.ofSeconds(10));
        assertThat(second.isValid()).isFalse();
    }

    @Test
    void expiredLocksThatNobodyAsksForDoNotPileUp() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            holdfast.lock("name-" + i)
                    .withLease(Duration.ofMillis(100))
                    .fixed()
                    .acquireAsync()
                    .join();
            time.advance(Duration.ofMillis(50));
        }
        assertThat(rival.list("", 10_000)).hasSizeLessThanOrEqualTo(3);
        assertThat(holdfast.health(Duration.ofSeconds(1)).names()).isLessThanOrEqualTo(3);
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void closingNeverWaitsWhereTimeStandsStill() {
        // It waited in real time, for an answer that was held back and for a holder: here that would be for months.
        Duration months = Duration.ofDays(100);
        InMemoryBackend store = new InMemoryBackend();
        Holdfast slow = Holdfast.builder(store)
                .environment(time)
                .maxLease(months)
                .lease(months)
                .unavailableAfter(months)
                .closeGrace(months)
                .build();
        Lease closed = slow.lock("closed").acquireAsync().join();
        Lease open = slow.lock("open").acquireAsync().join();
        List<Loss> losses = new ArrayList<>();
        open.onLost(losses::add);
        store.controls().pause();
        closed.close();
        slow.close();
        assertThat(losses).hasSize(1);
        assertThat(open.isValid()).isFalse();
    }

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build();
    }
}
