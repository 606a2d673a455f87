package dev.holdfast;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that blocks until it has its lease: woken directly by whoever brings the news, with no hop in between. */
final class ParkedWaiter extends Waiter {
    private final Thread thread = Thread.currentThread();
    // A TenureLease or a Refusal. Written once, by the thread that performed the step which settled this.
    private volatile @Nullable Object result;

    ParkedWaiter(Engine engine, String name, Terms terms, long maxWaitNanos) {
        super(engine, name, terms, maxWaitNanos, Thread.currentThread().getName());
    }

    @Nullable
    Object result() {
        return result;
    }

    @Override
    void deliver(TenureLease lease) {
        settleWith(lease);
    }

    @Override
    void deliver(Refusal refusal) {
        settleWith(refusal);
    }

    private void settleWith(Object outcome) {
        result = outcome;
        if (thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
        }
    }
}
