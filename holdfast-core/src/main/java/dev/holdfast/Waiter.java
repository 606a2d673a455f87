package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Somebody who asked for a lease. Settled exactly once, inside a step of its {@link NameQueue}: granted or refused; the
 * result is delivered right after that step, by the thread that made it.
 */
abstract class Waiter extends Alarm {
    final Engine engine;
    final String key;
    final Terms terms;
    final boolean immediate;
    final long sinceNanos;
    /** The thread that blocks on this, for messages; null where nobody blocks. */
    final @Nullable String threadName;
    /** Read and written inside a step only, as is the next. */
    boolean settled;

    /** Whether the listener was told that it waits. */
    boolean toldWaiting;

    Waiter(Engine engine, String key, Terms terms, long maxWaitNanos, @Nullable String threadName) {
        this.engine = engine;
        this.key = key;
        this.terms = terms;
        this.immediate = maxWaitNanos == 0;
        this.sinceNanos = engine.environment.nanoTime();
        this.threadName = threadName;
        // Who asks for an answer at once still has to get one when the backend hangs.
        long limit = immediate ? engine.settings.unavailableAfter().toNanos() : maxWaitNanos;
        this.fireAtNanos = limit == NEVER ? NEVER : sinceNanos + limit;
    }

    LockKey lockKey() {
        return LockKey.decode(key);
    }

    boolean isLimited() {
        return fireAtNanos != NEVER;
    }

    /** Inside a step: from here on nobody else can settle it. */
    void settle() {
        settled = true;
        fireAtNanos = NEVER;
    }

    abstract void deliver(TenureLease lease);

    abstract void deliver(Refusal refusal);

    @Override
    void fire() {
        engine.waiterDue(this);
    }
}
