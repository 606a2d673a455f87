package dev.holdfast.tck;

import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Validity;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Backends that are wrong about time: how long a lock is kept, and how long its holder believes it is. */
final class TimeFaults {
    private TimeFaults() {}

    /** Seconds were taken for milliseconds. */
    static final class ExpiresFarTooLate extends PassingOn {
        ExpiresFarTooLate(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.tryAcquire(Wire.like(claim, claim.key(), claim.lease().multipliedBy(1000)));
        }
    }

    /** The store ends the lease while its holder still relies on it. */
    static final class ExpiresTooEarly extends PassingOn {
        ExpiresTooEarly(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            long sent = System.nanoTime();
            Claim shorter = Wire.like(claim, claim.key(), claim.lease().dividedBy(2));
            return right.tryAcquire(shorter)
                    .thenApply(answer -> changed(
                            answer,
                            grant -> Grant.full(grant.lastToken(), grant.tokens(), Validity.until(sent, claim.lease()))
                                    .ofSlot(grant.slot())));
        }
    }

    /** Starts the clock when the answer arrives and takes no drift off. */
    static final class OverstatesValidity extends PassingOn {
        OverstatesValidity(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.tryAcquire(claim)
                    .thenApply(answer -> changed(
                            answer,
                            grant -> Grant.full(
                                            grant.lastToken(),
                                            grant.tokens(),
                                            System.nanoTime() + claim.lease().toNanos())
                                    .ofSlot(grant.slot())));
        }
    }

    /** Shows more time than the store will keep the lock. */
    static final class OverstatesRemainingTime extends PassingOn {
        OverstatesRemainingTime(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<LockState>> describe(String key) {
            return right.describe(key)
                    .thenApply(found -> found.stream()
                            .map(state -> LockState.builder(key, ownerOf(state))
                                    .slot(state.slot())
                                    .shared(state.shared())
                                    .holder(state.holder())
                                    .tokens(state.tokens().last().value(), tokensOf(state))
                                    .since(state.since())
                                    .remaining(state.remaining().multipliedBy(2))
                                    .waiters(state.waiters())
                                    .build())
                            .toList());
        }
    }
}
