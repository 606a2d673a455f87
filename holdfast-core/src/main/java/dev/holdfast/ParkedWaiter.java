package dev.holdfast;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that blocks until it has its lease: woken directly by whoever brings the news, with no hop in between. */
class ParkedWaiter extends Waiter {
    private static final long WAKE_AGAIN_NANOS = 10_000_000;

    private final Thread thread = Thread.currentThread();
    // A TenureLease or a Refusal. Written once, by the thread that performed the step which settled this.
    private volatile @Nullable Object result;
    // Written by the waiting thread alone.
    private volatile boolean abandoned;

    ParkedWaiter(Engine engine, String key, Terms terms, long maxWaitNanos) {
        super(engine, key, terms, maxWaitNanos, Thread.currentThread().getName());
    }

    /** Begins to wait; on the thread that will be parked. */
    ParkedWaiter join() {
        engine.join(this);
        return this;
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

    /** Its thread is gone with an exception that is not ours: what it was given is given back. */
    void abandon() {
        engine.leave(this, Refusal.Kind.CLOSED);
        abandoned = true;
        giveBackIfAbandoned();
    }

    /** The deliverer writes the result and reads the flag, the thread the other way round: one of them sees both. */
    private void giveBackIfAbandoned() {
        if (abandoned && result instanceof TenureLease lease) {
            lease.giveBack();
        }
    }

    private void settleWith(Object outcome) {
        result = outcome;
        giveBackIfAbandoned();
        if (thread != Thread.currentThread()) {
            wake();
        }
    }

    /** A virtual thread needs a carrier, and there may be none to be had now. Asleep it would hold its lease for nobody. */
    private void wake() {
        try {
            LockSupport.unpark(thread);
        } catch (Throwable noCarrier) {
            engine.environment.schedule(WAKE_AGAIN_NANOS, this::wake);
        }
    }
}
