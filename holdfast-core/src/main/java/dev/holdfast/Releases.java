package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.ReleasedButClaimFailedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives tenures back to the backend. A release is complete when the backend has confirmed it; until then {@link Engine#close}
 * waits for it.
 */
final class Releases {
    private final Engine engine;
    private final LockBackend backend;
    private final Reports reports;

    Releases(Engine engine, LockBackend backend, Reports reports) {
        this.engine = engine;
        this.backend = backend;
        this.reports = reports;
    }

    /**
     * Ends the tenure, and claims the next one where somebody waits.
     *
     * @param done completed with the outcome of the release; null if nobody waits for it
     */
    void giveBack(TenureLease last, @Nullable LocalClaim next, @Nullable CompletableFuture<Void> done) {
        Tenure tenure = last.tenure;
        // Before the release is sent: a renewal must never follow it.
        engine.timers.refresh(tenure);
        engine.nowUnderway();
        if (next == null) {
            engine.calls.whenDone(
                    engine.calls.call(() -> backend.release(tenure.holding())),
                    (said, failure) -> released(last, failure, done));
            return;
        }
        CompletableFuture<Answer> answer =
                engine.calls.call(() -> backend.releaseAndClaim(tenure.holding(), next.toClaim()));
        engine.armWhilePending(next, answer);
        engine.calls.whenDone(answer, (said, failure) -> {
            // First what it says of the claim: the end of a release makes a claim that is not queued ask again.
            if (failure instanceof ReleasedButClaimFailedException half) {
                engine.onAnswer(next, null, half.claimFailure());
                released(last, null, done);
            } else {
                engine.onAnswer(next, said, failure);
                released(last, failure, done);
            }
        });
    }

    private void released(TenureLease last, @Nullable Throwable failure, @Nullable CompletableFuture<Void> done) {
        if (failure != null) {
            Tenure tenure = last.tenure;
            reports.releaseUnconfirmed(tenure.key, failure);
            engine.withdrawals.withdraw(
                    tenure.key, tenure.owner, tenure.terms.slotsOrOne(), tenure.terms.lease(), true);
        }
        ended(last, failure, done);
    }

    /**
     * Leaves the lock taken until then, in the store's care.
     *
     * @param unsettled whether a question asked under this owner may still arrive, and give the tenure its lease anew
     */
    void keep(TenureLease last, long untilNanos, boolean unsettled, CompletableFuture<Void> done) {
        Tenure tenure = last.tenure;
        engine.timers.refresh(tenure);
        engine.nowUnderway();
        Duration left = Duration.ofNanos(Math.max(1, untilNanos - engine.now()));
        engine.environment.schedule(left.toNanos(), () -> engine.withdrawals.noLongerKept(tenure));
        engine.calls.whenDone(
                engine.calls.call(() -> backend.releaseLater(tenure.holding(), left)), (said, failure) -> {
                    if (failure != null) {
                        reports.releaseUnconfirmed(tenure.key, failure);
                    } else if (Boolean.FALSE.equals(said)) {
                        reports.minimumNotKept(tenure.key);
                    }
                    if (failure != null || unsettled) {
                        engine.withdrawals.keep(tenure, untilNanos);
                    }
                    ended(last, failure, done);
                });
    }

    private void ended(TenureLease last, @Nullable Throwable failure, @Nullable CompletableFuture<Void> done) {
        Tenure tenure = last.tenure;
        if (last.ended == TenureLease.RELEASED) {
            engine.reportReleased(last);
        }
        if (done != null) {
            confirm(done, tenure, failure);
        }
        engine.releaseEnded(tenure.key);
        engine.noLongerUnderway();
    }

    private static void confirm(CompletableFuture<Void> done, Tenure tenure, @Nullable Throwable failure) {
        if (failure == null) {
            done.complete(null);
            return;
        }
        String message =
                "The release of " + LockKey.describe(tenure.key) + " is not confirmed: " + Failures.describe(failure)
                        + ". It is repeated in the background; at the latest the lock expires by itself after "
                        + Texts.of(tenure.terms.lease()) + ".";
        done.completeExceptionally(
                new LockUnavailableException(message, LockKey.nameIn(tenure.key), null, Duration.ZERO, failure));
    }
}
