package dev.holdfast;

import org.jspecify.annotations.Nullable;

/** A thread that takes several locks: it waits for one after the other, and gives back what it has if it cannot have all. */
final class MultiWait {
    private final MultiAttempt attempt;

    MultiWait(MultiAttempt attempt) {
        this.attempt = attempt;
    }

    MultiLease acquire() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "Interrupted before asking for locks " + NameSet.text(attempt.names) + "; nothing is held.");
        }
        boolean complete = false;
        try {
            MultiAttempt.Next next;
            while ((next = attempt.next()) != null) {
                take(next);
            }
            MultiLease whole = attempt.whole();
            complete = true;
            return whole;
        } finally {
            if (!complete) {
                attempt.giveBack();
            }
        }
    }

    private void take(MultiAttempt.Next next) throws InterruptedException {
        Object result = Blocking.await(new Member(next), attempt.isUnlimited());
        if (result instanceof Refusal refusal) {
            throw attempt.toException(refusal);
        }
        attempt.took((TenureLease) result);
    }

    /** Waits for one of the names. */
    private final class Member extends ParkedWaiter {
        Member(MultiAttempt.Next next) {
            super(attempt.engine, next.name(), attempt.terms, next.waitNanos());
        }

        @Override
        ParkedWaiter join() {
            attempt.join(this);
            return this;
        }
    }

    /** Empty if one of them was busy all the time. */
    @Nullable
    MultiLease tryAcquire() throws InterruptedException {
        try {
            return acquire();
        } catch (LockTimeoutException busy) {
            return null;
        }
    }
}
