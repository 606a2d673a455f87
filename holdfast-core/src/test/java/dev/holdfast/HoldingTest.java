package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Renewal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of a tenure while it lasts: renewed, uncertain, lost, expired. */
class HoldingTest extends ScriptedStoreTest {
    @Test
    void aLeaseIsRenewedAtAThirdAndValidFromBeforeTheSend() {
        Lease lease = granted("a", 16);
        assertThat(lease.remaining()).isEqualTo(VALIDITY);
        time.advance(Duration.ofSeconds(10));
        long sent = time.nanoTime();
        assertThat(backend.renewals).hasSize(1);
        time.advance(Duration.ofSeconds(2));
        answerRenewals(sent);
        assertThat(lease.remaining()).isEqualTo(VALIDITY.minusSeconds(2));
    }

    @Test
    void aRenewalWithoutAnswerIsRepeatedAndTheLeaseIsLostWhenItsValidityEnds() {
        // The backend hangs from the moment of the grant.
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a", 16);
        lease.onLost(losses::add);
        time.advance(VALIDITY.minusNanos(1));
        assertThat(backend.renewals.size()).isGreaterThanOrEqualTo(2);
        assertThat(lease.isValid()).isTrue();
        assertThat(losses).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST);
            assertThat(loss.heldFor()).isEqualTo(VALIDITY);
        });
        assertThat(heard).containsExactly("LOST a");
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anUncertainLeaseIsHeldAgainOnceARenewalSucceeds() {
        Lease lease = granted("a", 16);
        time.advance(Duration.ofSeconds(10));
        backend.renewals.remove().answer().completeExceptionally(new IOException("reset"));
        assertThat(lease.isValid()).isTrue();
        assertThat(heard).containsExactly("renewal failed a");
        time.advance(Duration.ofSeconds(3));
        answerRenewals(time.nanoTime());
        assertThat(lease.remaining()).isEqualTo(VALIDITY);
    }

    @Test
    void renewalsThatFailAtOnceAreNotRepeatedWithoutAPauseTowardsTheEnd() {
        // Nobody accepts the connection, so each renewal fails when it is sent. It used to be repeated after a fraction
        // of
        // what was left of the validity, which becomes nothing: a busy loop, until the clock had gone past the end.
        Lease lease = granted("a", 16);
        time.advance(VALIDITY.minusMillis(5));
        failRenewals();
        int sent = 0;
        while (lease.isValid()) {
            sent += failRenewals();
            time.advance(Duration.ofNanos(1000));
        }
        assertThat(sent).isLessThan(10);
    }

    private int failRenewals() {
        int failed = 0;
        for (var renewing = backend.renewals.poll(); renewing != null; renewing = backend.renewals.poll()) {
            renewing.answer().completeExceptionally(new IOException("refused"));
            failed++;
        }
        return failed;
    }

    @Test
    void aRenewalThatSaysGoneEndsTheLeaseAtOnce() {
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a", 16);
        lease.onLost(losses::add);
        time.advance(Duration.ofSeconds(10));
        backend.renewals.remove().answer().complete(List.of(new Renewal.Gone()));
        assertThat(lease.isValid()).isFalse();
        assertThat(losses).hasSize(1);
    }

    @Test
    void aRenewalAnswerOfTheWrongLengthIsNoAnswer() {
        Lease lease = granted("a", 16);
        time.advance(Duration.ofSeconds(10));
        backend.renewals.remove().answer().complete(List.of());
        assertThat(lease.isValid()).isTrue();
        assertThat(heard).containsExactly("renewal failed a");
    }

    @Test
    void aLostTenureIsClaimedAnewForWhoWaitsHere() {
        granted("a", 16);
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(MINUTE);
        backend.events.lost("a", lastClaim.owner(), "an operator broke it");
        assertThat(next).isNotDone();
        backend.asked.remove().grant(99, backend.full(LEASE));
        assertThat(next).isCompleted();
    }

    @Test
    void aFixedLeaseIsNotRenewedAndExpires() {
        List<Loss> losses = new ArrayList<>();
        CompletableFuture<Lease> waiting = holdfast.lock("a").fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        Lease lease = waiting.join();
        lease.onLost(losses::add);
        time.advance(VALIDITY);
        assertThat(backend.renewals).isEmpty();
        assertThat(lease.isValid()).isFalse();
        assertThat(losses).extracting(Loss::kind).containsExactly(Loss.Kind.EXPIRED);
    }

    @Test
    void heldAtMostEndsARenewedLeaseAndFreesTheLock() {
        List<Loss> losses = new ArrayList<>();
        CompletableFuture<Lease> waiting =
                holdfast.lock("a").heldAtMost(Duration.ofSeconds(45)).acquireAsync();
        backend.asked.remove().grant(16, backend.full(LEASE));
        Lease lease = waiting.join();
        lease.onLost(losses::add);
        for (int i = 0; i < 44; i++) {
            time.advance(Duration.ofSeconds(1));
            answerRenewals(time.nanoTime());
        }
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(losses).extracting(Loss::kind).containsExactly(Loss.Kind.EXPIRED);
        assertThat(backend.releases).hasSize(1);
    }

    @Test
    void theVotesOfManyNodesAreCounted() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        var claim = backend.asked.remove().claim();
        backend.events.granted("a", claim.owner(), new Grant(1, 1, backend.full(LEASE), false, new Votes(128, 255)));
        assertThat(waiting.join().votes()).isEqualTo(new Votes(128, 255));
    }

    private Lease provisional(Duration window) {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        var claim = backend.asked.remove().claim();
        long until = time.nanoTime() + window.toNanos();
        backend.events.granted("a", claim.owner(), new Grant(16, 16, until, true));
        return waiting.join();
    }

    @Test
    void aProvisionalGrantIsRenewedAfterAMomentAndTheRenewalMakesItFull() {
        Lease lease = provisional(Duration.ofSeconds(2));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(2));
        assertThat(backend.renewals).isEmpty();
        time.advance(Duration.ofMillis(2));
        assertThat(backend.renewals).hasSize(1);
        answerRenewals(time.nanoTime());
        assertThat(lease.remaining()).isEqualTo(VALIDITY);
    }

    @Test
    void aProvisionalGrantOfAMomentIsRenewedSooner() {
        // Four milliseconds: waiting for two of them would leave little for the answer.
        provisional(Duration.ofMillis(4));
        time.advance(Duration.ofMillis(1));
        assertThat(backend.renewals).hasSize(1);
    }

    @Test
    void aProvisionalGrantThatIsReleasedWithinAMomentIsNeverRenewed() {
        Lease lease = provisional(Duration.ofSeconds(2));
        time.advance(Duration.ofMillis(1));
        lease.releaseAsync();
        assertThat(backend.releases).hasSize(1);
        time.advance(Duration.ofSeconds(5));
        assertThat(backend.renewals).isEmpty();
    }

    @Test
    void callbacksRegisteredLateAreCalledAtOnceAndNeverAfterARelease() {
        List<Loss> losses = new ArrayList<>();
        Lease lost = granted("a", 16);
        time.advance(LEASE);
        lost.onLost(losses::add);
        assertThat(losses).hasSize(1);

        Lease closed = granted("b", 16);
        closed.releaseAsync();
        closed.onLost(losses::add);
        time.advance(MINUTE);
        assertThat(losses).hasSize(1);
    }

    @Test
    void aThrowingCallbackDoesNotSilenceTheOthers() {
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a", 16);
        lease.onLost(losses::add);
        lease.onLost(loss -> {
            throw new IllegalStateException("on purpose");
        });
        lease.onLost(losses::add);
        time.advance(LEASE);
        assertThat(losses).hasSize(2);
    }

    @Test
    void aThousandLeasesAreRenewedInAHandfulOfRequests() {
        for (int i = 0; i < 1000; i++) {
            granted("name-" + i, 16);
            time.advance(Duration.ofMillis(2));
        }
        time.advance(Duration.ofSeconds(10));
        assertThat(backend.renewals.stream()
                        .mapToInt(each -> each.holdings().size())
                        .sum())
                .isEqualTo(1000);
        assertThat(backend.renewals.size()).isLessThanOrEqualTo(5);
    }

    @Test
    void closingHoldfastLosesOpenLeasesAndDoesNotFreeThem() {
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a", 16);
        lease.onLost(losses::add);
        holdfast.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(losses).hasSize(1);
        assertThat(backend.releases).isEmpty();
        assertThat(backend.withdrawals).isEmpty();
        assertThatCode(holdfast::close).doesNotThrowAnyException();
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void ensureValidLooksAhead() {
        Lease lease = granted("a", 16);
        lease.ensureValid(Duration.ofSeconds(29));
        assertThatThrownBy(() -> lease.ensureValid(LEASE))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("needed");
        assertThat(lease.isValid()).isTrue();
    }
}
