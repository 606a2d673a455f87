package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the holder, the listener and the operator are told, and how often. */
class ToldTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final FaultyTime time = new FaultyTime();
    private final ScriptedBackend backend = new ScriptedBackend();
    private final List<String> notices = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();
    private final Holdfast holdfast = Holdfast.builder(backend)
            .environment(time)
            .unavailableAfter(Duration.ofMillis(200))
            .closeGrace(Duration.ZERO)
            .describedAs("night shift")
            .listener(new LockListener() {
                @Override
                public void notice(BackendNotice notice) {
                    notices.add(notice.toString());
                }

                @Override
                public void broken(LockState ended, Holder by) {
                    broken.add(ended.name() + " of " + ended.holder() + " by " + by.description());
                }
            })
            .build();

    // ---- the holder

    @Test
    void aLeaseThatEndedBeforeItWasClosedIsToldAsLostThoughNoAlarmHasRung() {
        // The process is stopped past the end of its lease, goes on, and closes the lease before the timer has run. The
        // callbacks used to be dropped: the holder never learned that it had worked without the lock.
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a");
        lease.onLost(losses::add);
        lease.onLost(losses::add);
        time.skip(MINUTE);
        lease.close();
        assertThat(losses).hasSize(2).allSatisfy(loss -> assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST));
        time.advance(MINUTE);
        assertThat(losses).hasSize(2);
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseThatWasHeldForTooLongIsToldAsExpiredThoughNoAlarmHasRung() {
        // The same with the bound of heldAtMost, while the tenure itself is still valid. It used to count as released
        // in
        // time, though the lease had said since its bound that it was over.
        List<Loss> losses = new ArrayList<>();
        CompletableFuture<Lease> future =
                holdfast.lock("a").heldAtMost(Duration.ofSeconds(5)).acquireAsync();
        backend.asked.remove().grant(16, backend.full(LEASE));
        Lease lease = future.join();
        lease.onLost(losses::add);
        time.skip(Duration.ofSeconds(6));
        assertThat(lease.isValid()).isFalse();
        CompletableFuture<Void> released = lease.releaseAsync();
        assertThat(losses)
                .singleElement()
                .satisfies(loss -> assertThat(loss.kind()).isEqualTo(Loss.Kind.EXPIRED));
        backend.releases.remove().answer().complete(true);
        assertThat(released).isCompleted();
        time.advance(MINUTE);
        assertThat(losses).hasSize(1);
    }

    @Test
    void aFixedLeaseThatIsOverHasExpiredThoughTheStoreIsFasterToSaySoThanTheTimer() {
        // The process is stopped past the end of its lease. The store's word that the lock is gone comes before any
        // alarm: it
        // was told as lost, as if the store had failed the holder.
        List<Loss> losses = new ArrayList<>();
        CompletableFuture<Lease> waiting = holdfast.lock("a").fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        waiting.join().onLost(losses::add);
        time.skip(MINUTE);
        backend.events.lost("a", backend.lastClaim.owner(), "its key is gone");
        assertThat(losses)
                .singleElement()
                .satisfies(loss -> assertThat(loss.kind()).isEqualTo(Loss.Kind.EXPIRED));
        time.advance(MINUTE);
        assertThat(losses).hasSize(1);
    }

    @Test
    void aLeaseThatWasReleasedInTimeIsNeverToldAsLost() {
        List<Loss> losses = new ArrayList<>();
        Lease lease = granted("a");
        lease.onLost(losses::add);
        var unused = lease.releaseAsync();
        time.skip(MINUTE);
        time.advance(MINUTE);
        assertThat(losses).isEmpty();
    }

    // ---- the listener

    @Test
    void noticesAreLimitedPerPlaceAndThoseLeftOutAreCounted() {
        // A store in trouble says the same thing thousands of times: 4 274 in a minute reached a listener.
        for (int i = 0; i < 4_000; i++) {
            backend.events.notice(BackendNotice.warning("node 1", "the clocks stepped"));
        }
        backend.events.notice(BackendNotice.warning("node 2", "down"));
        assertThat(notices).hasSize(11).endsWith("node 2: down");
        time.advance(Duration.ofSeconds(10));
        backend.events.notice(BackendNotice.warning("node 1", "down"));
        assertThat(notices)
                .hasSize(12)
                .last()
                .asString()
                .startsWith("node 1: down")
                .contains("3990 more");
    }

    @Test
    void goodNewsIsNotLeftOutBecauseOfAllTheBadNewsBefore() {
        // Both had one limit: the end of an outage was left out because so much had been said about the outage.
        for (int i = 0; i < 4_000; i++) {
            backend.events.notice(BackendNotice.warning("node 1", "does not vote"));
        }
        backend.events.notice(BackendNotice.note("node 1", "votes again"));
        assertThat(notices).endsWith("node 1: votes again");
    }

    @Test
    void aBackendThatInventsPlacesFloodsNobody() {
        for (int i = 0; i < 100_000; i++) {
            backend.events.notice(BackendNotice.warning("place " + i, "down"));
        }
        assertThat(notices).hasSizeLessThan(200);
    }

    @Test
    void aWithdrawalThatFailsIsTold() {
        // The lock may stay taken for a whole lease, for nobody, and nobody was told why.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(MINUTE);
        backend.asked.remove().busy(LEASE, true);
        waiting.cancel(false);
        backend.withdrawals.remove().answer().completeExceptionally(new IOException("connection reset"));
        assertThat(notices)
                .singleElement()
                .asString()
                .contains("withdrawal of a claim for lock 'a'", "connection reset", "within 30.0 s");
    }

    // ---- the operator

    @Test
    void aBreakIsToldWithWhoDidIt() throws Exception {
        LockState seen = LockState.builder("a", backendOwner())
                .holder(new Holder("elsewhere", 7, "job"))
                .tokens(16, 16)
                .since(Instant.EPOCH)
                .remaining(LEASE)
                .build();
        backend.breaking = CompletableFuture.completedFuture(Optional.of(seen));
        assertThat(holdfast.breakLock(seen)).contains(seen);
        assertThat(broken).containsExactly("a of process 7 on elsewhere (job) by night shift");
        backend.breaking = CompletableFuture.completedFuture(Optional.empty());
        assertThat(holdfast.breakLock(seen)).isEmpty();
        assertThat(broken).hasSize(1);
    }

    @Test
    void aListingWhoseCallerHasGoneIsCancelled() {
        // It used to go on scanning the store for nobody.
        backend.listing = new CompletableFuture<>();
        assertThatThrownBy(() -> holdfast.list("", 10)).isInstanceOf(LockUnavailableException.class);
        assertThat(backend.listing).isCancelled();
    }

    @Test
    void aListingWhoseCallerIsInterruptedIsCancelled() {
        backend.listing = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> holdfast.list("", 10)).isInstanceOf(InterruptedException.class);
        assertThat(backend.listing).isCancelled();
    }

    @Test
    void aFailureWithoutAMessageIsNotToldAsNull() {
        backend.listing = CompletableFuture.failedFuture(new java.nio.channels.ClosedChannelException());
        assertThatThrownBy(() -> holdfast.list("", 10))
                .hasMessageEndingWith("ClosedChannelException")
                .hasMessageNotContaining("null");
    }

    @Test
    void aStaleTokenIsToldWithWhatIsKnown() {
        // It used to say that somebody else holds the lock, when nobody may.
        assertThat(new StaleTokenException("invoices", new FencingToken(3), new FencingToken(7)))
                .hasMessageContaining("a later lease")
                .hasMessageNotContaining("somebody else holds");
    }

    private static dev.holdfast.spi.Owner backendOwner() {
        return new dev.holdfast.spi.Owner(1, 2);
    }

    private Lease granted(String name) {
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync();
        backend.asked.remove().grant(16, backend.full(LEASE));
        return waiting.join();
    }
}
