package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What becomes of a claim: every answer, late, twice, wrong or missing. */
class ClaimingTest extends ScriptedStoreTest {
    @Test
    void aCancelledWaiterWithdrawsAndALateGrantIsGivenBack() {
        // Cancel while the question is under way; then the backend says yes.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        waiting.cancel(false);
        assertThat(backend.withdrawals).hasSize(1);
        backend.withdrawals.remove().answer().complete(null);

        backend.asked.remove().grant(16, backend.full(LEASE));
        assertThat(backend.withdrawals).hasSize(1);
        assertThat(names()).isZero();
    }

    @Test
    void cancellingADerivedStageDoesNotWithdraw() {
        // As documented: only the future that was returned stands for the place in the queue.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        waiting.thenApply(Lease::token).cancel(false);
        assertThat(backend.withdrawals).isEmpty();
        backend.asked.remove().grant(16, backend.full(LEASE));
        assertThat(waiting).isCompleted();
    }

    @Test
    void aTimedOutWaiterWithdrawsFromTheQueue() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Duration.ofSeconds(2));
        Claim claim = backend.asked.element().claim();
        backend.asked.remove().busy(LEASE, true);
        time.advance(Duration.ofMillis(1999));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("held by process 7 on elsewhere")
                .hasMessageContaining("Waited 2.0 s");
        assertThat(backend.withdrawals.remove().owner()).isEqualTo(claim.owner());
        assertThat(names()).isZero();
    }

    @Test
    void aGrantIsTakenOnceWhetherItComesByReplyByPushOrBoth() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        ScriptedBackend.Asked question = backend.asked.remove();
        Grant grant = Grant.full(16, 16, backend.full(LEASE));
        backend.events.granted("a", question.claim().owner(), grant);
        backend.events.granted("a", question.claim().owner(), grant);
        question.answer().complete(new Answer.Granted(grant));
        assertThat(waiting.join().token().value()).isEqualTo(1);
        assertThat(backend.withdrawals).isEmpty();
        assertThat(backend.releases).isEmpty();
    }

    @Test
    void aSecondGrantWithTheSameTokenOnlyLengthens() {
        Lease lease = granted("a", 16);
        Claim claim = lastClaim;
        Duration before = lease.remaining();
        backend.events.granted("a", claim.owner(), Grant.full(16, 16, time.nanoTime() + 1));
        assertThat(lease.remaining()).isEqualTo(before);
        backend.events.granted("a", claim.owner(), Grant.full(16, 16, backend.full(MINUTE)));
        assertThat(lease.remaining()).isGreaterThan(before);
    }

    @Test
    void aSecondGrantWithAnotherTokenMeansThatTheTenureWasLost() {
        Lease lease = granted("a", 16);
        backend.events.granted("a", lastClaim.owner(), Grant.full(99, 16, backend.full(LEASE)));
        assertThat(lease.isValid()).isFalse();
        assertThat(backend.withdrawals).hasSize(1);
    }

    @Test
    void anUnknownOutcomeIsWithdrawnAtOnceAndAgainOnceItCannotArriveAnyMore() {
        // The answer is lost. The backend may have granted, or may still do so.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked lost = backend.asked.remove();
        lost.answer().completeExceptionally(new IOException("connection reset"));
        assertThat(backend.withdrawals).hasSize(1);
        assertThat(backend.withdrawals.element().owner()).isEqualTo(lost.claim().owner());
        backend.withdrawals.remove().answer().complete(null);

        time.advance(ScriptedBackend.SETTLING);
        assertThat(backend.withdrawals.remove().owner()).isEqualTo(lost.claim().owner());
        // Meanwhile it asked again, and never with that owner.
        assertThat(backend.asked.remove().claim().owner())
                .isNotEqualTo(lost.claim().owner());
        assertThat(waiting).isNotDone();
    }

    @Test
    void aWithdrawalThatFailsIsRepeatedUntilItIsConfirmed() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().busy(LEASE, true);
        waiting.cancel(false);
        for (int i = 0; i < 3; i++) {
            backend.withdrawals.remove().answer().completeExceptionally(new IOException("down"));
            assertThat(backend.withdrawals).isEmpty();
            time.advance(Duration.ofSeconds(2));
        }
        backend.withdrawals.remove().answer().complete(null);
        time.advance(MINUTE);
        assertThat(backend.withdrawals).isEmpty();
    }

    @Test
    void whatWasProvablyNotSentNeedsNoWithdrawalAndKeepsItsPlace() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked first = backend.asked.remove();
        first.answer().completeExceptionally(new NotSentException("not connected", null));
        time.advance(Duration.ofSeconds(1));
        assertThat(backend.withdrawals).isEmpty();
        ScriptedBackend.Asked second = backend.asked.remove();
        assertThat(second.claim().owner()).isEqualTo(first.claim().owner());
        second.grant(16, backend.full(LEASE));
        assertThat(waiting).isCompleted();
    }

    @Test
    void whatWasNotSentIsAskedUnderAnOwnerOfTheNewConnection() {
        // Two copies of one memory have drawn the same owner and could not send it. Each reconnects; they used to ask
        // with
        // that owner, so that the second was given the grant of the first.
        holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked first = backend.asked.remove();
        first.answer().completeExceptionally(new NotSentException("not connected", null));
        backend.mark = 7;
        backend.events.recheckAll("reconnected");
        ScriptedBackend.Asked second = backend.asked.remove();
        assertThat(second.claim().owner()).isNotEqualTo(first.claim().owner());
        assertThat(backend.withdrawals).isEmpty();
        // As long as the connection is the same, so is the owner.
        second.answer().completeExceptionally(new NotSentException("loading", null));
        time.advance(Duration.ofSeconds(1));
        ScriptedBackend.Asked third = backend.asked.remove();
        assertThat(third.claim().owner()).isEqualTo(second.claim().owner());
        third.grant(16, backend.full(LEASE));
        time.advance(Duration.ofSeconds(1));
        assertThat(backend.asked).isEmpty();
    }

    @Test
    void aPollThatLeftNothingBehindGoesOnUnderAnOwnerOfTheNewConnection() {
        holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked first = backend.asked.remove();
        first.busy(LEASE, false);
        backend.mark = 7;
        backend.events.recheckAll("reconnected");
        assertThat(backend.asked.remove().claim().owner())
                .isNotEqualTo(first.claim().owner());
        assertThat(backend.withdrawals).isEmpty();
    }

    @Test
    void aPlaceInAQueueIsKeptOverANewConnection() {
        holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked first = backend.asked.remove();
        first.busy(LEASE, true);
        backend.mark = 7;
        backend.events.recheckAll("reconnected");
        assertThat(backend.asked.remove().claim().owner())
                .isEqualTo(first.claim().owner());
    }

    @Test
    void aRefusalThatNoRetryCuresFailsEveryoneAtOnceWithItsMessage() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> alsoWaiting = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().answer().completeExceptionally(new RefusedException("set the password"));
        for (CompletableFuture<Lease> each : java.util.List.of(waiting, alsoWaiting)) {
            assertThatThrownBy(each::join)
                    .hasCauseInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("set the password");
        }
        assertThat(names()).isZero();
    }

    @Test
    void aGrantThatArrivesAfterItsLeaseIsNotHandedOut() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
        ScriptedBackend.Asked question = backend.asked.remove();
        question.grant(16, time.nanoTime());
        assertThat(waiting).isNotDone();
        assertThat(backend.withdrawals.element().owner())
                .isEqualTo(question.claim().owner());
    }

    @Test
    void oneClaimStandsForAllWhoWaitHere() {
        CompletableFuture<Lease> first = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        assertThat(backend.asked).hasSize(1);
        // The one in front leaves: the claim is as good for the other.
        first.cancel(false);
        assertThat(backend.withdrawals).isEmpty();
        backend.asked.remove().grant(16, backend.full(LEASE));
        assertThat(second).isCompleted();
    }

    @Test
    void aClaimForOtherTermsIsMadeAnewWhenWhoMadeItLeaves() {
        CompletableFuture<Lease> first =
                holdfast.lock("a").withLease(Duration.ofSeconds(10)).acquireAsync();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        first.cancel(false);
        assertThat(backend.withdrawals).hasSize(1);
        backend.asked.remove();
        assertThat(backend.asked.element().claim().lease()).isEqualTo(LEASE);
        backend.asked.remove().grant(16, backend.full(LEASE));
        assertThat(second).isCompleted();
    }

    @Test
    void whoAsksOnceDoesNotQueueAndWhoJoinsMeanwhileDoes() {
        CompletableFuture<Lease> once = holdfast.lock("a").acquireAsync(Duration.ZERO);
        CompletableFuture<Lease> patient = holdfast.lock("a").acquireAsync();
        ScriptedBackend.Asked question = backend.asked.remove();
        assertThat(question.claim().queue()).isFalse();
        question.busy(LEASE, false);
        assertThatThrownBy(once::join).hasCauseInstanceOf(LockTimeoutException.class);
        assertThat(patient).isNotDone();
        assertThat(backend.asked.element().claim().queue()).isTrue();
    }

    @Test
    void aHintThatArrivesWhileAQuestionIsUnderWayIsNotLost() {
        // The answer "busy" was written before the lock became free; the hint overtook it.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        backend.events.maybeFree("a");
        backend.asked.remove().busy(LEASE, false);
        assertThat(backend.asked).hasSize(1);
        backend.asked.remove().grant(16, backend.full(LEASE));
        assertThat(waiting).isCompleted();
    }

    @Test
    void withoutAPushEveryWaiterAsksAgainWhenTheLeaseItWaitsForEnds() {
        holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().busy(Duration.ofSeconds(20), true);
        time.advance(Duration.ofMillis(19_999));
        assertThat(backend.asked).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(backend.asked).hasSize(1);
    }

    @Test
    void retriesWithoutAQueueAreSpread() {
        java.util.Set<Long> moments = new java.util.HashSet<>();
        for (int i = 0; i < 20; i++) {
            holdfast.lock("name " + i).acquireAsync(MINUTE);
            backend.asked.remove().busy(Duration.ofSeconds(1), false);
        }
        for (int millis = 0; millis < 2000; millis++) {
            time.advance(Duration.ofMillis(1));
            while (!backend.asked.isEmpty()) {
                backend.asked.remove();
                moments.add(time.nanoTime());
            }
        }
        assertThat(moments).hasSizeGreaterThan(15);
    }

    @Test
    void aBackendThatSaysAtOnceDoesNotMakeUsSpin() {
        holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().busy(Duration.ZERO, true);
        assertThat(backend.asked).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(backend.asked).hasSize(1);
    }

    @Test
    void aBusyAnswerThatOvertookItsWithdrawalIsWithdrawnAgain() {
        // The withdrawal reached the store before the claim: the claim is now queued for nobody.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        waiting.cancel(false);
        backend.withdrawals.remove().answer().complete(null);
        backend.asked.remove().busy(LEASE, true);
        assertThat(backend.withdrawals).hasSize(1);
    }

    @Test
    void aBackendThatThrowsOrAnswersNullIsTreatedAsOneThatFailed() {
        CompletableFuture<Lease> once = holdfast.lock("a").acquireAsync(Duration.ZERO);
        backend.asked.remove().answer().complete(null);
        assertThatThrownBy(once::join).hasMessageContaining("answered null");
    }

    @Test
    void afterReconnectingEveryClaimIsAskedAgainAndEveryTenureRenewed() {
        granted("held", 16);
        holdfast.lock("fixed").fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        holdfast.lock("waiting").acquireAsync(MINUTE);
        backend.asked.remove().busy(LEASE, true);
        backend.events.recheckAll("reconnected");
        assertThat(backend.asked.element().claim().key()).isEqualTo("waiting");
        assertThat(backend.renewals.element().holdings()).hasSize(1);
        // The fixed one was only looked at: the store does not know it, so it is lost.
        assertThat(holdfast.lock("fixed").acquireAsync(Duration.ZERO)).isNotDone();
    }

    @Test
    void closingWaitsForTheWithdrawalThatItCaused() throws Exception {
        // The last waiter is told, and somebody else's step ends before the withdrawal is sent: there is nothing in the
        // map any more then, and nothing sent yet. The backend used to be closed in that moment.
        Holdfast closing = Holdfast.builder(backend)
                .environment(new FaultyTime()) // closing waits only where time passes by itself
                .executor(Runnable::run)
                .closeGrace(MINUTE)
                .build();
        CompletableFuture<Lease> waiting = closing.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().answer().complete(new Answer.Busy(MINUTE, true, null));
        waiting.whenComplete((lease, failure) ->
                backend.events.lost("another", Owner.random(new Random(1)), "news of a name that nobody has"));
        Thread thread = new Thread(closing::close);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        assertThat(backend.log).containsExactly("acquire", "withdraw");
        backend.withdrawals.remove().answer().complete(null);
        thread.join();
        assertThat(backend.log).containsExactly("acquire", "withdraw", "close");
        assertThat(waiting).isCompletedExceptionally();
    }

    @Test
    void closingFailsWhoWaits() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        backend.asked.remove().busy(LEASE, true);
        holdfast.close();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(HoldfastClosedException.class);
        assertThat(backend.withdrawals).hasSize(1);
        assertThatThrownBy(() -> holdfast.lock("a").acquireAsync().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(HoldfastClosedException.class);
    }

    @Test
    void cancellationIsSeenByTheCanceller() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        assertThat(waiting.cancel(true)).isTrue();
        assertThatThrownBy(waiting::join).isInstanceOf(CancellationException.class);
    }
}
