package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockState;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Loss;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The same promises as users meet them, through {@link Holdfast}. */
interface UserContract {
    @Test
    default void aWaiterIsServedAfterAReleaseLongBeforeTheLeaseWouldHaveEnded(Bench bench) throws Exception {
        // Without a wake-up the waiter would sleep for the rest of a long lease.
        bench.untilShown(label -> wakeUp(bench, bench.name(label + "wake-up")));
    }

    /** Returns false if the machine stood still for longer than the store waits for whoever is handed the lock. */
    private static boolean wakeUp(Bench bench, String name) throws Exception {
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        CompletableFuture<Lease> waiting = bench.holdfast().lock(name).acquireAsync();
        if (bench.isFair()) {
            bench.await(
                    "the waiter is queued", () -> !holder.state(name).waiters().isEmpty());
        }
        assertThat(holder.release(held)).isTrue();
        try (Lease lease = bench.get("the lock", waiting)) {
            assertThat(lease.token().value()).isGreaterThan(held.lastToken());
            boolean valid = lease.isValid();
            if (!valid && bench.stoodStill()) {
                return false;
            }
            assertThat(valid).isTrue();
        }
        Optional<LockState> afterwards = holder.describe(name);
        if (afterwards.isPresent() && bench.stoodStill()) {
            return false;
        }
        assertThat(afterwards).isEmpty();
        return true;
    }

    @Test
    default void aWaiterIsServedWhenASilentHolderExpires(Bench bench) throws Exception {
        // Nobody says that the lock is free: the waiter's own timer has to find out.
        String name = bench.name("silent");
        long validUntil = bench.client().acquire(bench.brief(name)).validUntilNanos();
        try (Lease lease = bench.get("the lock", bench.holdfast().lock(name).acquireAsync())) {
            assertThat(bench.now() - validUntil).isNotNegative();
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    default void whoGivesUpIsToldWhoHoldsTheLockAndLeavesNothingQueued(Bench bench) throws Exception {
        // One waiter runs out of time, another is cancelled.
        String name = bench.name("give-up");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Holdfast holdfast = bench.holdfast();
        bench.inTime(Duration.ofMillis(500), maxWait -> {
            Throwable failure = catchThrowable(() -> holdfast.lock(name).acquire(maxWait));
            // True where the store did not answer in that time. One that never does gets nowhere, however long it has.
            if (failure instanceof LockUnavailableException) {
                return false;
            }
            assertThat(failure)
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("nothing is held");
            return true;
        });
        CompletableFuture<Lease> cancelled = holdfast.lock(name).acquireAsync();
        cancelled.cancel(true);
        bench.await("nothing is queued", () -> holder.state(name).waiters().isEmpty());
        assertThat(holder.release(held)).isTrue();
        bench.await("nothing is held", () -> holder.describe(name).isEmpty());
    }

    @Test
    default void tryAcquireAnswersAtOnceBothWays(Bench bench) throws Exception {
        // Busy is empty, free is a lease.
        String name = bench.name("try");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Holdfast holdfast = bench.holdfast();
        assertThat(holdfast.lock(name).tryAcquire()).isEmpty();
        assertThat(holder.state(name).waiters()).isEmpty();
        assertThat(holder.release(held)).isTrue();
        Lease lease = holdfast.lock(name).tryAcquire().orElseThrow();
        assertThat(holder.state(name).tokens().contains(lease.token())).isTrue();
        lease.close();
    }

    @Test
    default void closingALostLeaseIsQuietAndHarmless(Bench bench) throws Exception {
        // A fixed lease ends, a rival acquires, the first holder closes what it no longer has.
        String name = bench.name("lost");
        Holdfast holdfast = bench.holdfast();
        Lease lease = holdfast.lock(name).withLease(bench.lease()).fixed().acquire(bench.patience());
        CompletableFuture<Loss> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        Client rival = bench.client();
        Claim claim = bench.claim(name);
        rival.askUntilGranted(claim);
        assertThat(lease.isValid())
                .as("the rival holds it, so the first lease is over")
                .isFalse();
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        assertThat(bench.get("word of the loss", told).kind()).isEqualTo(Loss.Kind.EXPIRED);
        lease.close();
        assertThat(rival.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }

    @Test
    default void aBrokenLeaseIsLost(Bench bench) throws Exception {
        // An operator inspects and breaks; the holder is told at its next renewal, long before a full lease has passed.
        Holdfast holdfast = bench.holdfast();
        Holdfast operator = bench.holdfast();
        bench.inTime(bench.lease().multipliedBy(3), duration -> {
            String name = bench.name("broken after " + duration);
            Lease lease = holdfast.lock(name)
                    .withLease(duration)
                    .describedAs("will be broken")
                    .acquire(bench.patience());
            CompletableFuture<Loss> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            Optional<LockState> seen = operator.inspect(name);
            Optional<LockState> broken = seen.isEmpty() ? seen : operator.breakLock(seen.get());
            Loss loss = bench.get("word of the loss", told);
            // Not renewed in time, so nobody had to break it.
            if (broken.isEmpty() && loss.heldFor().compareTo(duration.dividedBy(2)) > 0) {
                return false;
            }
            assertThat(seen)
                    .hasValueSatisfying(
                            state -> assertThat(state.holder().description()).isEqualTo("will be broken"));
            assertThat(broken).isPresent();
            assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST);
            assertThat(lease.isValid()).isFalse();
            lease.close();
            return true;
        });
    }

    @Test
    default void aHealthyStoreIsReportedHealthy(Bench bench) throws Exception {
        // One small question, one answer.
        Health health = bench.holdfast().health(bench.patience());
        assertThat(health.reachable()).as(health.detail()).isTrue();
        assertThat(health.roundTrip()).isLessThan(bench.patience());
    }
}
