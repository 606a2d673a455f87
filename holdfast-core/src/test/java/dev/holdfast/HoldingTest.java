package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Renewal;
import dev.holdfast.testing.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of a tenure: renewed, uncertain, lost, expired, handed on, given back. Virtual time, scripted answers. */
class HoldingTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration VALIDITY = Duration.ofMillis(30_000 - 300 - 2);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime();
    private final ScriptedBackend backend = new ScriptedBackend();
    private final List<String> heard = new ArrayList<>();
    private final Holdfast holdfast = Holdfast.builder(backend)
            .environment(time)
            .closeGrace(Duration.ZERO)
            .listener(new LockListener() {
                @Override
                public void lost(Loss loss) {
                    heard.add(loss.kind() + " " + loss.name());
                }

                @Override
                public void released(String name, FencingToken token, Duration held) {
                    heard.add("released " + name);
                }

                @Override
                public void renewalFailed(String name, FencingToken token, Throwable cause) {
                    heard.add("renewal failed " + name);
                }
            })
            .build();

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
    void aReleaseThatClaimsTheNextTenureAsksOnce() {
        // Released and queued again in one answer. It used to be asked a second time, because the end of the release
        // was
        // noticed before the place in the queue.
        backend.claimsWhileReleasing = true;
        Lease lease = granted("a", 16);
        CompletableFuture<Lease> next =
                holdfast.lock("a").withLease(LEASE.dividedBy(2)).acquireAsync(MINUTE);
        lease.releaseAsync();
        backend.asked.remove().busy(LEASE, true);
        assertThat(backend.asked).isEmpty();
        assertThat(next).isNotDone();
    }

    @Test
    void aLostTenureIsClaimedAnewForWhoWaitsHere() {
        granted("a", 16);
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(MINUTE);
        backend.events.lost("a", holding().owner(), "an operator broke it");
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

    private Lease lent(Duration window) {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        var claim = backend.asked.remove().claim();
        long until = time.nanoTime() + window.toNanos();
        backend.events.granted("a", claim.owner(), new Grant(16, 16, until, true));
        return waiting.join();
    }

    @Test
    void aLentGrantIsRenewedAfterAMomentAndTheRenewalMakesItFull() {
        Lease lease = lent(Duration.ofSeconds(2));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(2));
        assertThat(backend.renewals).isEmpty();
        time.advance(Duration.ofMillis(2));
        assertThat(backend.renewals).hasSize(1);
        answerRenewals(time.nanoTime());
        assertThat(lease.remaining()).isEqualTo(VALIDITY);
    }

    @Test
    void aLentGrantOfAMomentIsRenewedSooner() {
        // Four milliseconds: waiting for two of them would leave little for the answer.
        lent(Duration.ofMillis(4));
        time.advance(Duration.ofMillis(1));
        assertThat(backend.renewals).hasSize(1);
    }

    @Test
    void aLentGrantThatIsReleasedWithinAMomentIsNeverRenewed() {
        Lease lease = lent(Duration.ofSeconds(2));
        time.advance(Duration.ofMillis(1));
        lease.releaseAsync();
        assertThat(backend.releases).hasSize(1);
        time.advance(Duration.ofSeconds(5));
        assertThat(backend.renewals).isEmpty();
    }

    @Test
    void aTenureThatTheBackendVouchesForBrieflyIsHandedOnAllTheSame() {
        // A session bounds what is promised: ten seconds of a lease of thirty, for a fresh tenure too. Handed on while
        // half
        // of that is left, and given back after.
        CompletableFuture<Lease> first = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> third = holdfast.lock("a").acquireAsync();
        backend.asked
                .remove()
                .grant(16, time.nanoTime() + Duration.ofSeconds(10).toNanos());
        time.advance(Duration.ofSeconds(3));
        first.join().close();
        assertThat(backend.releases).isEmpty();
        time.advance(Duration.ofSeconds(3));
        second.join().close();
        assertThat(backend.releases).hasSize(1);
        assertThat(third).isNotDone();
    }

    @Test
    void aTenureServesAtMostKLeasesInARow() {
        // One holder and twenty waiters in this process, a cohort of sixteen.
        Lease lease = granted("a", 16);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(holdfast.lock("a").acquireAsync());
        }
        for (int served = 0; served < 15; served++) {
            lease.close();
            assertThat(backend.releases).isEmpty();
            Lease next = waiting.get(served).join();
            assertThat(next.token().value()).isEqualTo(lease.token().value() + 1);
            lease = next;
        }
        var done = lease.releaseAsync();
        assertThat(backend.releases).hasSize(1);
        assertThat(waiting.get(15)).isNotDone();
        // Released first, then claimed anew for those who still wait.
        assertThat(backend.asked).isEmpty();
        backend.releases.remove().answer().complete(true);
        assertThat(backend.asked).hasSize(1);
        backend.asked.remove().grant(100, backend.full(LEASE));
        assertThat(done).isCompleted();
        assertThat(waiting.get(15)).isCompleted();
    }

    @Test
    void aLocalRunEndsAfterOneLeaseDuration() {
        Lease lease = granted("a", 16);
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync();
        for (int i = 0; i < 31; i++) {
            time.advance(Duration.ofSeconds(1));
            answerRenewals(time.nanoTime());
        }
        lease.releaseAsync();
        assertThat(next).isNotDone();
        assertThat(backend.releases).hasSize(1);
    }

    @Test
    void anUncertainTenureIsNotHandedOn() {
        Lease lease = granted("a", 16);
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync();
        time.advance(Duration.ofSeconds(10));
        backend.renewals.remove().answer().completeExceptionally(new IOException("reset"));
        lease.releaseAsync();
        assertThat(next).isNotDone();
        assertThat(backend.releases).hasSize(1);
    }

    @Test
    void aTenureIsNotHandedToWhoAskedForAnotherKindOfLease() {
        Lease lease = granted("a", 16);
        CompletableFuture<Lease> next =
                holdfast.lock("a").withLease(Duration.ofSeconds(5)).acquireAsync();
        lease.releaseAsync();
        assertThat(next).isNotDone();
        backend.releases.remove().answer().complete(true);
        assertThat(backend.asked.element().claim().lease()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void renewalStopsBeforeTheReleaseIsSent() {
        Lease lease = granted("a", 16);
        lease.releaseAsync();
        time.advance(MINUTE);
        assertThat(backend.renewals).isEmpty();
        assertThat(backend.releases).hasSize(1);
    }

    @Test
    void closingTwiceReleasesOnce() {
        Lease lease = granted("a", 16);
        var first = lease.releaseAsync();
        var second = lease.releaseAsync();
        backend.releases.remove().answer().complete(true);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        lease.close();
        assertThat(backend.releases).isEmpty();
        assertThat(heard).containsExactly("released a");
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void aReleaseAnsweredNotOursWhileValidIsARelease() {
        // The first one got through and its answer was lost; the client library sent it again.
        Lease lease = granted("a", 16);
        lease.releaseAsync();
        backend.releases.remove().answer().complete(false);
        assertThat(heard).containsExactly("released a");
    }

    @Test
    void aReleaseThatFailsIsReportedAndRepeatedInTheBackground() {
        Lease lease = granted("a", 16);
        var done = lease.releaseAsync();
        var owner = backend.releases.element().holding().owner();
        backend.releases.remove().answer().completeExceptionally(new IOException("reset"));
        assertThatThrownBy(done::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("not confirmed");
        assertThat(backend.withdrawals.remove().owner()).isEqualTo(owner);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void closingALostLeaseIsQuietAndFreesWhatTheBackendMayStillKeep() {
        Lease lease = granted("a", 16);
        time.advance(LEASE);
        assertThat(heard).containsExactly("LOST a");
        lease.close();
        assertThat(heard).containsExactly("LOST a");
        assertThat(backend.releases).isEmpty();
        assertThat(backend.withdrawals).hasSize(1);
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

    @Test
    void aReleaseThatEndsLetsAPollingClaimAskAtOnce() {
        // A backend without a queue answered "busy" because our own release was still on its way.
        Lease lease = granted("a", 16);
        lease.releaseAsync();
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().answer().complete(new Answer.Busy(LEASE, false, null));
        assertThat(backend.asked).isEmpty();
        backend.releases.remove().answer().complete(true);
        backend.asked.remove().grant(99, backend.full(LEASE));
        assertThat(next).isCompleted();
    }

    private dev.holdfast.spi.Claim lastClaim;

    private dev.holdfast.spi.Claim holding() {
        return lastClaim;
    }

    private Lease granted(String name, long lastToken) {
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync();
        lastClaim = backend.asked.element().claim();
        backend.asked.remove().grant(lastToken, backend.full(LEASE));
        return waiting.join();
    }

    private void answerRenewals(long sentNanos) {
        while (!backend.renewals.isEmpty()) {
            var renewing = backend.renewals.remove();
            renewing.answer()
                    .complete(renewing.holdings().stream()
                            .<Renewal>map(each ->
                                    new Renewal.Renewed(dev.holdfast.spi.Validity.until(sentNanos, each.lease())))
                            .toList());
        }
    }
}
