package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of a tenure when its lease is closed: handed on to the next waiter here, or given back. */
class ReleasingTest extends ScriptedStoreTest {
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
    void aReleaseThatIsConfirmedIsNotToldAsUnconfirmedBecauseTheNextClaimFails() {
        // The tenure ends while somebody waits here: released, and claimed anew. The release is answered, the claim is
        // not. The holder used to be told that its release was not confirmed.
        CompletableFuture<Lease> first = holdfast.lock("a").fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        Lease lease = first.join();
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(MINUTE);
        CompletableFuture<Void> done = lease.releaseAsync();
        backend.releases.remove().answer().complete(true);
        ScriptedBackend.Asked asked = backend.asked.remove();
        asked.answer().completeExceptionally(new IOException("reset"));
        assertThat(done).isCompleted();
        assertThat(heard).containsExactly("released a");
        // Only the claim is taken back: the tenure has ended.
        assertThat(backend.withdrawals)
                .singleElement()
                .satisfies(
                        each -> assertThat(each.owner()).isEqualTo(asked.claim().owner()));
        assertThat(next).isNotDone();
    }

    @Test
    void aReleaseThatIsConfirmedStaysSoWhateverTheNextClaimThrows() {
        // An error, thrown by a backend that should have failed its stage: the release was told as unconfirmed with it.
        CompletableFuture<Lease> first = holdfast.lock("a").fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        Lease lease = first.join();
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(MINUTE);
        backend.claimsThrow = new StackOverflowError("on purpose");
        CompletableFuture<Void> done = lease.releaseAsync();
        backend.releases.remove().answer().complete(true);
        backend.claimsThrow = null;
        assertThat(done).isCompleted();
        assertThat(heard).containsExactly("released a");
        assertThat(next).isNotDone();
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
}
