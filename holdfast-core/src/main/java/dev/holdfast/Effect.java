package dev.holdfast;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a step of a {@link NameQueue} wants done once its lock is free: one action, or several in order. */
sealed interface Effect {
    /** First this, then that. */
    default Effect then(Effect next) {
        if (this == Nothing.NOTHING) {
            return next;
        }
        return next == Nothing.NOTHING ? this : new Both(this, next);
    }

    void perform(Engine engine);

    record Both(Effect first, Effect second) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.perform(first);
            engine.perform(second);
        }
    }

    /** One after the other. Not a chain of {@link Both}: ten thousand waiters would be as many frames on the stack. */
    record All(List<Effect> effects) implements Effect {
        @Override
        public void perform(Engine engine) {
            effects.forEach(engine::perform);
        }
    }

    enum Nothing implements Effect {
        NOTHING;

        @Override
        public void perform(Engine engine) {}
    }

    /** Send the claim. */
    record Ask(LocalClaim claim) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.ask(claim);
        }
    }

    /** Bring the timer in line with what the alarm wants. */
    record Rearm(Alarm alarm) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.timers.refresh(alarm);
        }
    }

    /** The lease is this waiter's. */
    record Deliver(Waiter waiter, TenureLease lease) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.deliver(waiter, lease);
        }
    }

    record Refuse(Waiter waiter, Refusal refusal) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.timers.refresh(waiter);
            engine.reports.refused(waiter, refusal);
            waiter.deliver(refusal);
        }
    }

    /** Only where somebody listens. */
    record ReportWaiting(Waiter waiter) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.reports.waiting(waiter);
        }
    }

    record WarnOfSelfDeadlock(Waiter waiter, TenureLease lease) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.warnOfSelfDeadlock(waiter, lease);
        }
    }

    /** Released, and gone to the next waiter of this process. */
    record HandedOver(TenureLease lease, CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.reportReleased(lease);
            done.complete(null);
        }
    }

    /** The backend must let go of the tenure of this lease; then ask for the next one, if there is one. */
    record GiveBack(
            TenureLease last,
            @Nullable LocalClaim next,
            @Nullable CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.releases.giveBack(last, next, done);
        }
    }

    /** The lease was closed before its minimum was over: the lock stays taken until then, and nobody holds it. */
    record Keep(TenureLease last, long untilNanos, boolean unsettled, CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.releases.keep(last, untilNanos, unsettled, done);
        }
    }

    /**
     * Nobody uses this owner any more: whatever the backend has for it is taken back.
     *
     * @param slots the slots of a semaphore that it may have are below this number
     * @param lease how long the backend keeps it by itself; null if we do not know, so at most the longest lease
     * @param outcomeUnknown whether a request under this owner may still reach the backend and bring it back
     */
    record Withdraw(
            String key, Owner owner, int slots, @Nullable Duration lease, boolean outcomeUnknown) implements Effect {
        static Withdraw of(LocalClaim claim, boolean outcomeUnknown) {
            return new Withdraw(claim.key, claim.owner, claim.terms.slotsOrOne(), claim.terms.lease(), outcomeUnknown);
        }

        static Withdraw of(Tenure tenure, boolean outcomeUnknown) {
            return new Withdraw(
                    tenure.key, tenure.owner, tenure.terms.slotsOrOne(), tenure.terms.lease(), outcomeUnknown);
        }

        /** A grant for an owner that nobody here knows. */
        static Withdraw unknown(String key, Owner owner, Grant grant) {
            return new Withdraw(key, owner, grant.slot() + 1, null, false);
        }

        /** What we held, and what was granted to the same owner in the meantime. */
        static Withdraw grantedAnew(Tenure tenure, Grant grant) {
            int slots = Math.max(tenure.terms.slotsOrOne(), grant.slot() + 1);
            return new Withdraw(tenure.key, tenure.owner, slots, null, false);
        }

        @Override
        public void perform(Engine engine) {
            engine.withdrawals.withdraw(
                    key, owner, slots, lease == null ? engine.settings.maxLease() : lease, outcomeUnknown);
        }
    }

    /** The holder need not wait for the backend. */
    record Complete(CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine) {
            done.complete(null);
        }
    }

    record Renew(Tenure tenure) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.renewals.renew(tenure);
        }
    }

    /** Ask the backend whether it still knows this tenure, without lengthening it. */
    record Verify(Tenure tenure) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.verify(tenure);
        }
    }

    record ReportRenewal(TenureLease lease) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.reports.renewed(lease);
        }
    }

    record ReportRenewalFailure(TenureLease lease, Throwable cause) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.reports.renewalFailed(lease, cause);
        }
    }

    /** The lease ended and its holder did not do it. */
    record Lose(TenureLease lease, Loss loss) implements Effect {
        @Override
        public void perform(Engine engine) {
            engine.reportLoss(lease, loss);
        }
    }
}
