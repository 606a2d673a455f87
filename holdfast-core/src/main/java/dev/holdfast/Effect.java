package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a step of a {@link NameQueue} wants done once its lock is free. */
sealed interface Effect {
    /**
     * Does it.
     *
     * @param batch collects renewals that can go out together; null where there is only this one
     */
    void perform(Engine engine, Renewals.@Nullable Batch batch);

    /** First this, then that. */
    default Effect then(Effect next) {
        if (this == Nothing.NOTHING) {
            return next;
        }
        return next == Nothing.NOTHING ? this : new Both(this, next);
    }

    enum Nothing implements Effect {
        NOTHING;

        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {}
    }

    record Both(Effect first, Effect second) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            first.perform(engine, batch);
            second.perform(engine, batch);
        }
    }

    /** One after the other. Not a chain of {@link Both}: ten thousand waiters would be as many frames on the stack. */
    record All(List<Effect> effects) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            for (Effect effect : effects) {
                effect.perform(engine, batch);
            }
        }
    }

    /** Send the claim. */
    record Ask(LocalClaim claim) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.ask(claim);
        }
    }

    /** Bring the timer in line with what the alarm wants. */
    record Rearm(Alarm alarm) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.timers.refresh(alarm);
        }
    }

    /** The lease is this waiter's. */
    record Deliver(Waiter waiter, TenureLease lease) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.deliver(waiter, lease);
        }
    }

    record Refuse(Waiter waiter, Refusal refusal) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.timers.refresh(waiter);
            waiter.deliver(refusal);
        }
    }

    record WarnOfSelfDeadlock(Waiter waiter, TenureLease lease) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.warnOfSelfDeadlock(waiter, lease);
        }
    }

    /** Released, and gone to the next waiter of this process. */
    record HandedOver(TenureLease lease, CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
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
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.giveBack(last, next, done);
        }
    }

    /** A grant for an owner that nobody here knows any more. */
    record GiveBackUnknown(String name, Owner owner, long lastToken) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.retreat(name, owner, engine.settings.maxLease(), false);
        }
    }

    /** Nobody wants the claim any more, or its outcome is unknown. */
    record Withdraw(LocalClaim claim, boolean outcomeUnknown) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.retreat(claim.name, claim.owner, claim.terms.lease(), outcomeUnknown);
        }
    }

    record Renew(Tenure tenure) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            if (batch == null) {
                engine.renewals.renew(tenure);
            } else {
                batch.add(tenure);
            }
        }
    }

    /** Ask the backend whether it still knows this tenure, without lengthening it. */
    record Verify(Tenure tenure) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.verify(tenure);
        }
    }

    record ReportRenewalFailure(Tenure tenure, Throwable cause) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.reportRenewalFailure(tenure, cause);
        }
    }

    /** The lease ended and its holder did not do it. */
    record Lose(TenureLease lease, Loss loss) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.reportLoss(lease, loss);
        }
    }

    /** The holder closed a lease that had ended before: the backend may still keep it, and nobody needs it now. */
    record ClosedAfterLoss(TenureLease lease, CompletableFuture<Void> done) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            Tenure tenure = lease.tenure;
            engine.retreat(tenure.name, tenure.owner, tenure.terms.lease(), tenure.unsettled);
            done.complete(null);
        }
    }

    /** The tenure was given back, and a question asked for it may still reach the backend and bring it back to life. */
    record Settle(Tenure tenure) implements Effect {
        @Override
        public void perform(Engine engine, Renewals.@Nullable Batch batch) {
            engine.retreat(tenure.name, tenure.owner, tenure.terms.lease(), true);
        }
    }
}
