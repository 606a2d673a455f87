package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.NotSentException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What callers are told when the store fails, or says nothing. Busy or unavailable is decided by what it said last within the
 * caller's own wait.
 */
class OutagesTest extends ScriptedStoreTest {
    @Test
    void anOutageIsRetriedForTenSecondsWhereNoLimitWasGivenAndIsNotCalledBusy() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        long began = time.nanoTime();
        while (!waiting.isDone()) {
            while (!backend.asked.isEmpty()) {
                backend.asked.remove().answer().completeExceptionally(new IOException("connection refused"));
            }
            time.advance(Duration.ofMillis(10));
        }
        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("connection refused");
        assertThat(Duration.ofNanos(time.nanoTime() - began)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(13));
        assertThat(names()).isZero();
    }

    @Test
    void anOutageEndsALimitedWaitAsUnavailableAtItsLimit() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(3));
        backend.asked.remove().answer().completeExceptionally(new IOException("connection refused"));
        time.advance(Duration.ofSeconds(3));
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void anOutageAnswersWhoAsksOnceAtOnce() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ZERO);
        backend.asked.remove().answer().completeExceptionally(new IOException("connection refused"));
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aBackendThatNeverAnswersHangsNobody() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> once = holdfast.lock("b").acquireAsync(Duration.ZERO);
        CompletableFuture<Lease> limited = holdfast.lock("c").acquireAsync(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThatThrownBy(limited::join).hasCauseInstanceOf(LockUnavailableException.class);
        time.advance(Duration.ofSeconds(9));
        assertThatThrownBy(once::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("not answered");
        // Ten seconds, and not ten for the answer and ten more for the outage.
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockUnavailableException.class);
        assertThat(names()).isZero();
    }

    @Test
    void aBackendThatIsBehindIsGivenMoreTimeAndNotMoreToDo() {
        // A thousand names wait in front of a slow store. Who withdraws and asks anew every ten seconds keeps it busy
        // with that, and nobody is ever served.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE.multipliedBy(4));
        List<Integer> asked = new ArrayList<>();
        ScriptedBackend.Asked last = backend.asked.remove();
        for (int second = 1; second <= 160; second++) {
            time.advance(Duration.ofSeconds(1));
            if (!backend.asked.isEmpty()) {
                asked.add(second);
                last = backend.asked.remove();
            }
            backend.withdrawals.forEach(each -> each.answer().complete(null));
        }
        // After 10, 20, 40, 80 seconds more, and the little by which retries are spread.
        assertThat(asked).hasSize(4);
        assertThat(asked.get(0)).isBetween(10, 11);
        assertThat(asked.get(1)).isBetween(30, 33);
        assertThat(asked.get(2)).isBetween(70, 75);
        assertThat(asked.get(3)).isBetween(150, 157);
        // A waiter without a limit does not wait that long.
        CompletableFuture<Lease> unlimited = holdfast.lock("a").acquireAsync();
        time.advance(Duration.ofSeconds(20));
        assertThatThrownBy(unlimited::join).hasCauseInstanceOf(LockUnavailableException.class);
        assertThat(backend.asked).isEmpty();
        last.grant(16, backend.full(LEASE));
        assertThat(waiting).isCompleted();
    }

    @Test
    void whoWaitedWhileTheLockWasHeldHereIsToldBusyThoughAFreshQuestionIsOpen() {
        // Ten milliseconds of patience on a hot name. The tenure ends after six, and the claim for the next one has no
        // answer yet. The waiter used to be told "unavailable", for a lock that was in good use.
        Lease held = fixedLease("a");
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofMillis(10));
        time.advance(Duration.ofMillis(6));
        held.releaseAsync();
        backend.releases.remove().answer().complete(true);
        assertThat(backend.asked).hasSize(1);
        time.advance(Duration.ofMillis(4));
        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("held in this process until 4 ms ago");
    }

    @Test
    void whoWaitedForALockThatWasProvablyTakenAwayIsToldBusy() {
        granted("a", 16);
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofMillis(10));
        time.advance(Duration.ofMillis(6));
        backend.events.lost("a", lastClaim.owner(), "broken");
        assertThat(backend.asked).hasSize(1);
        time.advance(Duration.ofMillis(4));
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockTimeoutException.class);
    }

    @Test
    void whoWaitedForALockThatCouldNotBeRenewedIsToldUnavailable() {
        // It was held here, but the last thing heard of the store was that it does not answer.
        granted("a", 16);
        time.advance(Duration.ofSeconds(25));
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(8));
        while (!waiting.isDone()) {
            backend.renewals.forEach(each -> each.answer().completeExceptionally(new IOException("reset")));
            time.advance(Duration.ofMillis(100));
        }
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aBusyAnswerCountsForThoseBehindWhenTheClaimIsMadeAnewForThem() {
        // The store said "busy" to the claim of the one in front. It leaves, and the claim for the next has no answer.
        CompletableFuture<Lease> first =
                holdfast.lock("a").withLease(Duration.ofSeconds(10)).acquireAsync();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync(Duration.ofMillis(10));
        backend.asked.remove().busy(LEASE, true);
        first.cancel(false);
        assertThat(backend.asked).hasSize(1);
        time.advance(Duration.ofMillis(10));
        assertThatThrownBy(second::join)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("held by process 7 on elsewhere");
    }

    @Test
    void aQuestionThatWasOpenForTheWholeWaitIsNoAnswer() {
        // The first waiter was told "busy" long ago, and the store has fallen silent since. Whoever comes after the
        // last
        // question was asked hears nothing at all, and used to be told "busy".
        CompletableFuture<Lease> patient = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().busy(Duration.ofSeconds(1), true);
        CompletableFuture<Lease> saw = holdfast.lock("a").acquireAsync(Duration.ofMillis(1001));
        time.advance(Duration.ofSeconds(1));
        assertThat(backend.asked).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThatThrownBy(saw::join).hasCauseInstanceOf(LockTimeoutException.class);
        CompletableFuture<Lease> heardNothing = holdfast.lock("a").acquireAsync(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThatThrownBy(heardNothing::join).hasCauseInstanceOf(LockUnavailableException.class);
        assertThat(patient).isNotDone();
    }

    @Test
    void whoAsksOnceDuringAnOutageIsToldSoThoughOthersWait() {
        // It used to be told "busy" because somebody of this process was already waiting.
        CompletableFuture<Lease> patient = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().answer().completeExceptionally(new NotSentException("connection refused", null));
        CompletableFuture<Lease> once = holdfast.lock("a").acquireAsync(Duration.ZERO);
        assertThatThrownBy(once::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("connection refused");
        time.advance(Duration.ofSeconds(1));
        backend.asked.remove().busy(LEASE, true);
        CompletableFuture<Lease> again = holdfast.lock("a").acquireAsync(Duration.ZERO);
        assertThatThrownBy(again::join).hasCauseInstanceOf(LockTimeoutException.class);
        assertThat(patient).isNotDone();
    }

    @Test
    void aFailureAfterAnAnswerIsWhatTheStoreSaidLast() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(2));
        backend.asked.remove().busy(Duration.ofSeconds(1), true);
        time.advance(Duration.ofSeconds(1));
        backend.asked.remove().answer().completeExceptionally(new IOException("connection reset"));
        time.advance(Duration.ofSeconds(1));
        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("connection reset");
    }
}
