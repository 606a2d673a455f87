package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Grant;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The state machine of a name by itself: each step decides and returns what to do, and does none of it. */
class NameQueueTest {
    private static final Terms TERMS = new Terms(Duration.ofSeconds(30), new Holder("here", 1, ""));
    private static final Terms FIXED = new Terms(Duration.ofSeconds(30), new Holder("here", 1, "")).fixed();
    private static final long FULL = Duration.ofSeconds(29).toNanos();

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Engine engine = newEngine();
    private final NameQueue queue = new NameQueue();

    @Test
    void aFreshQueueIsEmptyAndOneWithAWaiterAsks() {
        assertThat(queue.isEmpty()).isTrue();
        assertThat(kinds(queue.join(new TestWaiter(TERMS), 0))).containsExactly("Ask");
        assertThat(queue.isEmpty()).isFalse();
        assertThat(backend.log).isEmpty();
    }

    @Test
    void theSecondWaiterAsksNothing() {
        queue.join(new TestWaiter(TERMS), 0);
        assertThat(kinds(queue.join(new TestWaiter(TERMS), 0))).isEmpty();
    }

    @Test
    void leavingAsTheLastOneWithdrawsAndEmptiesTheQueue() {
        TestWaiter waiter = new TestWaiter(TERMS);
        queue.join(waiter, 0);
        assertThat(kinds(queue.leave(waiter, Refusal.Kind.CLOSED, 0))).containsExactly("Refuse", "Rearm", "Withdraw");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(kinds(queue.leave(waiter, Refusal.Kind.CLOSED, 0))).isEmpty();
    }

    @Test
    void leavingAClaimThatIsBusyAndNotQueuedNeedsNoWithdrawal() {
        TestWaiter waiter = new TestWaiter(TERMS);
        LocalClaim claim = join(waiter);
        queue.answered(claim, new Answer.Busy(Duration.ofSeconds(1), false, null), 0);
        assertThat(kinds(queue.leave(waiter, Refusal.Kind.BUSY, 0))).containsExactly("Refuse", "Rearm");
    }

    @Test
    void leavingAfterTheGrantIsTooLate() {
        TestWaiter waiter = new TestWaiter(TERMS);
        LocalClaim claim = join(waiter);
        assertThat(kinds(queue.answered(claim, new Answer.Granted(Grant.full(16, 16, FULL)), 0)))
                .containsExactly("Rearm", "Deliver");
        assertThat(kinds(queue.leave(waiter, Refusal.Kind.BUSY, 0))).isEmpty();
    }

    @Test
    void aReleaseGoesToTheNextWaiterAndTheLastOneGivesBack() {
        LocalClaim claim = join(new TestWaiter(TERMS));
        queue.join(new TestWaiter(TERMS), 0);
        queue.answered(claim, new Answer.Granted(Grant.full(16, 16, FULL)), 0);
        TenureLease first = queue.tenure().lease;
        assertThat(kinds(queue.release(first, new CompletableFuture<>(), 1))).containsExactly("HandedOver", "Deliver");
        TenureLease second = queue.tenure().lease;
        assertThat(second.tokenValue).isEqualTo(first.tokenValue + 1);
        // A second close of the first lease must not touch the second one.
        assertThat(kinds(queue.release(first, new CompletableFuture<>(), 1))).containsExactly("Withdraw", "Complete");
        assertThat(queue.tenure().lease).isSameAs(second);
        assertThat(kinds(queue.release(second, new CompletableFuture<>(), 1))).containsExactly("GiveBack");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aFixedLeaseIsNeverASliceOfAUsedTenure() {
        LocalClaim claim = join(new TestWaiter(FIXED));
        queue.join(new TestWaiter(FIXED), 0);
        queue.answered(claim, new Answer.Granted(Grant.full(1, 1, FULL)), 0);
        Effect effect = queue.release(queue.tenure().lease, new CompletableFuture<>(), 1);
        assertThat(effect)
                .isInstanceOfSatisfying(
                        Effect.GiveBack.class, back -> assertThat(back.next()).isNotNull());
    }

    @Test
    void aReleaseAfterTheEndOfValidityIsALoss() {
        // The alarm is late; the holder closes first. Somebody else may have had the lock since.
        LocalClaim claim = join(new TestWaiter(TERMS));
        queue.answered(claim, new Answer.Granted(Grant.full(16, 16, FULL)), 0);
        TenureLease lease = queue.tenure().lease;
        assertThat(kinds(queue.release(lease, new CompletableFuture<>(), FULL)))
                .containsExactly("Lose", "Rearm", "Withdraw", "Complete");
    }

    @Test
    void anAlarmOfAnEndedTenureDoesNothing() {
        LocalClaim claim = join(new TestWaiter(TERMS));
        queue.answered(claim, new Answer.Granted(Grant.full(16, 16, FULL)), 0);
        Tenure tenure = queue.tenure();
        queue.release(tenure.lease, new CompletableFuture<>(), 1);
        assertThat(kinds(queue.tenureDue(tenure, FULL))).isEmpty();
    }

    @Test
    void anAlarmThatRingsTooEarlyForAClaimIsSetAgain() {
        // A question went out between the alarm and its step: its answer is not overdue.
        LocalClaim claim = join(new TestWaiter(TERMS));
        assertThat(kinds(queue.claimDue(claim, 1))).containsExactly("Rearm");
        assertThat(kinds(queue.claimDue(claim, Duration.ofSeconds(10).toNanos())))
                .containsExactly("Rearm", "Withdraw", "All", "Rearm");
    }

    private LocalClaim join(Waiter waiter) {
        return ((Effect.Ask) queue.join(waiter, 0)).claim();
    }

    private static List<String> kinds(Effect effect) {
        List<String> kinds = new ArrayList<>();
        if (effect instanceof Effect.Both both) {
            kinds.addAll(kinds(both.first()));
            kinds.addAll(kinds(both.second()));
        } else if (effect != Effect.Nothing.NOTHING) {
            kinds.add(effect.getClass().getSimpleName());
        }
        return kinds;
    }

    private Engine newEngine() {
        ManualTime time = new ManualTime();
        RateLimitedLog log = new RateLimitedLog(time);
        UserCode userCode = new UserCode(Runnable::run, new SpareThread(time, new Daemons("spare")), log);
        Settings settings = new Settings(16, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ZERO);
        return new Engine(backend, time, settings, new Reports(null, userCode, log, time), userCode);
    }

    private final class TestWaiter extends Waiter {
        TestWaiter(Terms terms) {
            super(NameQueueTest.this.engine, "a", terms, NEVER, null);
        }

        @Override
        void deliver(TenureLease lease) {}

        @Override
        void deliver(Refusal refusal) {}
    }
}
