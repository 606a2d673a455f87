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

/** Permits of a semaphore: each is a lease on a slot of its own. */
class SemaphoreTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = open(backend);
    private final Holdfast rival = open(backend.another());

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client).environment(time).cohort(3).build();
    }

    private static Lease now(DistributedSemaphore semaphore) throws InterruptedException {
        return semaphore.tryAcquire().orElseThrow();
    }

    @Test
    void eachPermitIsASlotOfItsOwnAndThereAreNoMore() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 3);
        List<Lease> permits = List.of(now(exports), now(rival.semaphore("exports", 3)), now(exports));
        assertThat(permits).extracting(Lease::slot).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(permits).extracting(Lease::token).doesNotHaveDuplicates();
        assertThat(exports.tryAcquire()).isEmpty();
        assertThatThrownBy(() -> exports.acquire(Duration.ZERO))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("Semaphore 'exports' is busy: all permits are taken");
        assertThat(holdfast.activity().held()).isEqualTo(2);

        permits.get(1).close();
        assertThat(now(exports).slot()).isEqualTo(permits.get(1).slot());
    }

    @Test
    void whoAsksOnceIsNotTurnedAwayBecauseAnotherQuestionIsOnItsWay() {
        // They were: of eight threads that asked at the same moment for eight free permits, one got one.
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        backend.controls().pause();
        CompletableFuture<Lease> one = exports.acquireAsync(Duration.ZERO);
        CompletableFuture<Lease> two = exports.acquireAsync(Duration.ZERO);
        CompletableFuture<Lease> three = exports.acquireAsync(Duration.ZERO);
        backend.controls().resume();
        assertThat(List.of(one.join().slot(), two.join().slot())).containsExactlyInAnyOrder(0, 1);
        assertThatThrownBy(three::join).hasCauseInstanceOf(LockTimeoutException.class);
    }

    @Test
    void aPermitThatIsClosedGoesToTheNextOfThisProcessWithALargerTokenOfTheSameSlot() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        Lease first = now(exports);
        Lease second = now(exports);
        CompletableFuture<Lease> third = exports.acquireAsync();
        CompletableFuture<Lease> fourth = exports.acquireAsync();
        assertThat(third).isNotDone();
        first.close();
        assertThat(third.join().slot()).isEqualTo(first.slot());
        assertThat(third.join().token()).isGreaterThan(first.token());
        assertThat(fourth).isNotDone();
        second.close();
        assertThat(fourth.join().slot()).isEqualTo(second.slot());
        third.join().close();
        fourth.join().close();
        assertThat(holdfast.inspect(LockKey.semaphore("exports"))).isEmpty();
        assertThat(holdfast.health(SECOND).names()).isZero();
    }

    @Test
    void oneProcessDoesNotKeepAWaitingOneFromItsTurn() throws Exception {
        // A tenure serves three leases in a row here. Then the slot goes to whoever waits elsewhere.
        DistributedSemaphore exports = holdfast.semaphore("exports", 1);
        Lease held = now(exports);
        CompletableFuture<Lease> elsewhere = rival.semaphore("exports", 1).acquireAsync();
        List<CompletableFuture<Lease>> here = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            here.add(exports.acquireAsync());
        }
        held.close();
        here.get(0).join().close();
        assertThat(elsewhere).isNotDone();
        here.get(1).join().close();
        assertThat(elsewhere).isCompleted();
        assertThat(here.get(2)).isNotDone();
        elsewhere.join().close();
        assertThat(here.get(2)).isCompleted();
    }

    @Test
    void permitsOfAProcessThatDiedAreFreeAfterTheirLeases() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        now(exports);
        now(exports);
        CompletableFuture<Lease> one = rival.semaphore("exports", 2).acquireAsync();
        CompletableFuture<Lease> two = rival.semaphore("exports", 2).acquireAsync();
        backend.controls().disconnect();
        time.advance(Duration.ofSeconds(29));
        assertThat(one).isNotDone();
        time.advance(SECOND.multipliedBy(2));
        assertThat(List.of(one.join().slot(), two.join().slot())).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void permitsAreRenewedAndEachIsLostByItself() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        Lease kept = now(exports);
        Lease bounded = now(exports.heldAtMost(SECOND.multipliedBy(40)));
        List<Loss> losses = new ArrayList<>();
        bounded.onLost(losses::add);
        time.advance(Duration.ofMinutes(5));
        assertThat(kept.isValid()).isTrue();
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.kind()).isEqualTo(Loss.Kind.EXPIRED);
            assertThat(loss.lock()).isEqualTo(LockKey.semaphore("exports"));
        });
        assertThat(now(rival.semaphore("exports", 2)).slot()).isEqualTo(bounded.slot());
    }

    @Test
    void aStoreThatForgetsThePermitsTellsTheirHolders() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        Lease one = now(exports);
        Lease two = now(exports);
        backend.controls().lose(LockKey.semaphore("exports"));
        assertThat(one.isValid()).isFalse();
        assertThat(two.isValid()).isFalse();
        one.close();
        two.close();
        assertThat(now(exports).slot()).isZero();
    }

    @Test
    void clientsMayDifferInTheNumberOfPermits() throws Exception {
        // The slots that a smaller configuration does not know are not taken away, and never handed to it.
        DistributedSemaphore large = holdfast.semaphore("exports", 3);
        List<Lease> permits = List.of(now(large), now(large), now(large));
        CompletableFuture<Lease> small = rival.semaphore("exports", 1).acquireAsync();
        CompletableFuture<Lease> alsoLarge = rival.semaphore("exports", 3).acquireAsync();
        permits.get(2).close();
        assertThat(small).isNotDone();
        permits.get(0).close();
        assertThat(small.join().slot()).isZero();
        // This process asks for one at a time, in the order of its callers.
        assertThat(alsoLarge.join().slot()).isEqualTo(2);
        assertThat(permits.get(1).isValid()).isTrue();
    }

    @Test
    void aCallerThatKnowsOfFewerPermitsDoesNotKeepOthersOfItsProcessWaiting() throws Exception {
        // It did: one that waits for the only slot it knows stood in front of all that could have had another.
        Lease first = now(rival.semaphore("exports", 1));
        CompletableFuture<Lease> small = holdfast.semaphore("exports", 1).acquireAsync();
        CompletableFuture<Lease> large = holdfast.semaphore("exports", 3).acquireAsync(SECOND);
        assertThat(large.join().slot()).isPositive();
        CompletableFuture<Lease> another = holdfast.semaphore("exports", 3).acquireAsync(SECOND);
        assertThat(another.join().slot()).isPositive();
        CompletableFuture<Lease> last = holdfast.semaphore("exports", 3).acquireAsync();
        large.join().close();
        assertThat(last.join().slot()).isEqualTo(large.join().slot());
        assertThat(small).isNotDone();
        first.close();
        assertThat(small.join().slot()).isZero();
        assertThat(List.of(another.join(), last.join(), small.join())).allMatch(Lease::isValid);
    }

    @Test
    void aCallerThatGivesUpLeavesNothingBehind() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 1);
        Lease held = now(rival.semaphore("exports", 1));
        CompletableFuture<Lease> cancelled = exports.acquireAsync();
        CompletableFuture<Lease> late = exports.acquireAsync(SECOND);
        cancelled.cancel(false);
        time.advance(SECOND);
        assertThatThrownBy(late::join).hasCauseInstanceOf(LockTimeoutException.class);
        assertThat(rival.inspect(LockKey.semaphore("exports")).get(0).waiters()).isEmpty();
        held.close();
        assertThat(holdfast.inspect(LockKey.semaphore("exports"))).isEmpty();
    }

    @Test
    void aLockASemaphoreAndAReadWriteLockOfOneNameAreThreeThings() throws Exception {
        Lease lock = holdfast.lock("exports").tryAcquire().orElseThrow();
        Lease slot = now(holdfast.semaphore("exports", 1));
        Lease write = holdfast.readWriteLock("exports").write().tryAcquire().orElseThrow();
        Lease other = holdfast.lock("exports/0").tryAcquire().orElseThrow();
        assertThat(rival.list("exports", 10))
                .extracting(LockState::key)
                .containsExactly(
                        LockKey.lock("exports"),
                        LockKey.semaphore("exports"),
                        LockKey.readWriteLock("exports"),
                        LockKey.lock("exports/0"));
        assertThat(rival.list("", 10)).hasSize(4);
        assertThat(List.of(lock, slot, write, other)).allMatch(Lease::isValid);
    }

    @Test
    void oneSlotIsBrokenAndNoOther() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 2);
        Lease one = now(exports);
        Lease two = now(exports);
        LockState seen = rival.inspect(LockKey.semaphore("exports")).get(1);
        assertThat(seen.slot()).isEqualTo(two.slot());
        assertThat(rival.breakLock(seen)).isPresent();
        assertThat(rival.breakLock(seen)).isEmpty();
        time.advance(SECOND.multipliedBy(11));
        assertThat(one.isValid()).isTrue();
        assertThat(two.isValid()).isFalse();
    }

    @Test
    void aPermitThatIsClosedEarlyStaysTakenForItsMinimum() throws Exception {
        DistributedSemaphore exports = holdfast.semaphore("exports", 1);
        Lease held = now(exports.heldAtLeast(Duration.ofMinutes(5)));
        CompletableFuture<Lease> next = rival.semaphore("exports", 1).acquireAsync();
        held.close();
        time.advance(Duration.ofMinutes(4));
        assertThat(next).isNotDone();
        time.advance(Duration.ofMinutes(1));
        assertThat(next).isCompleted();
    }

    @Test
    void badNumbersOfPermitsAreRefused() {
        for (int permits : List.of(0, -1, 1001)) {
            assertThatThrownBy(() -> holdfast.semaphore("exports", permits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("from 1 to 1000")
                    .hasMessageContaining(String.valueOf(permits));
        }
        assertThat(holdfast.semaphore("exports", 1000).permits()).isEqualTo(1000);
    }

    @Test
    void aBackendWithoutThemRefusesBeforeAnythingIsSent() {
        ScriptedBackend without = new ScriptedBackend();
        try (Holdfast plain = Holdfast.builder(without).environment(time).build()) {
            assertThatThrownBy(() -> plain.semaphore("exports", 2))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("semaphore 'exports'")
                    .hasMessageContaining("keeps no semaphores");
            assertThatThrownBy(() -> plain.readWriteLock("catalog"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("keeps no read-write locks");
        }
        assertThat(without.asked).isEmpty();
    }
}
