package dev.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to take several locks, one after the other in their order: what was taken so far, who waits for the next, and why it
 * ended. The next one is asked for after the one before has come, so at most one waiter is there at a time. Whoever ends the
 * attempt gives back what was taken; a lease that comes after that is given back by who brings it.
 */
final class MultiAttempt {
    final Engine engine;
    final List<String> names;
    final Terms terms;
    private final long maxWaitNanos;
    private final long sinceNanos;
    // Guards the next three. Nothing is called while it is held.
    private final ReentrantLock lock = new ReentrantLock();
    private final List<TenureLease> taken = new ArrayList<>();
    /** Whether what was taken belongs to a {@link MultiLease}, or was given back. */
    private boolean over;
    /** How much of the wait went by before the last waiter joined. */
    private long beforeLastNanos;
    // Who stops this writes stopped and reads current; who joins does it the other way round: one of them sees the
    // other.
    private volatile @Nullable Waiter current;
    private volatile boolean stopped;
    /** The first that was lost while another was waited for. */
    private volatile @Nullable Loss lost;

    MultiAttempt(Engine engine, List<String> names, Terms terms, long maxWaitNanos) {
        this.engine = engine;
        this.names = names;
        this.terms = terms;
        this.maxWaitNanos = maxWaitNanos;
        this.sinceNanos = engine.now();
    }

    boolean isUnlimited() {
        return maxWaitNanos == Alarm.NEVER;
    }

    /** A name that is not taken yet, and how long it may be waited for; null if all are taken. */
    @Nullable
    Next next() {
        lock.lock();
        try {
            if (taken.size() == names.size()) {
                return null;
            }
            String name = names.get(taken.size());
            beforeLastNanos = waited();
            if (isUnlimited() || taken.isEmpty() || maxWaitNanos == 0) {
                return new Next(name, maxWaitNanos);
            }
            return new Next(name, Math.max(0, maxWaitNanos - beforeLastNanos));
        } finally {
            lock.unlock();
        }
    }

    /** @param waitNanos what is left of the one limit for all */
    record Next(String name, long waitNanos) {}

    void join(Waiter waiter) {
        if (waiter.immediate && maxWaitNanos != 0) {
            // Nothing is left of the limit. Whoever set one does not ask once more after it.
            throw outOfTime(waiter.key);
        }
        current = waiter;
        engine.join(waiter);
        if (stopped) {
            engine.leave(waiter, Refusal.Kind.CLOSED);
        }
    }

    /** Whoever waits for the next leaves now, or as soon as it has joined. */
    private void stop() {
        stopped = true;
        Waiter waiting = current;
        if (waiting != null) {
            engine.leave(waiting, Refusal.Kind.CLOSED);
        }
    }

    void took(TenureLease lease) {
        current = null;
        boolean late;
        lock.lock();
        try {
            late = over;
            if (!late) {
                taken.add(lease);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            lease.giveBack();
            return;
        }
        // To wait for the others any longer would be in vain, and keep those that are left from everybody else.
        lease.onLost((OwnCallback) this::memberLost);
    }

    private void memberLost(Loss loss) {
        if (lost == null) {
            lost = loss;
        }
        stop();
    }

    /**
     * All of them, still held. From here on they belong to the caller.
     *
     * @throws LeaseLostException if one has ended meanwhile: the others are given back
     */
    MultiLease whole() {
        MultiLease whole;
        lock.lock();
        try {
            if (over) {
                throw new CancellationException("given back already");
            }
            whole = new MultiLease(engine, taken);
            over = true;
        } finally {
            lock.unlock();
        }
        try {
            whole.ensureValid(Duration.ZERO);
            return whole;
        } catch (LeaseLostException e) {
            whole.giveBack();
            throw lostMeanwhile(e.loss());
        }
    }

    /** Does nothing to what a caller has got. */
    void giveBack() {
        List<TenureLease> given = List.of();
        lock.lock();
        try {
            if (!over) {
                over = true;
                given = List.copyOf(taken);
            }
        } finally {
            lock.unlock();
        }
        MultiLease.giveBack(given);
        stop();
    }

    // ---- why it failed

    /** The time is over, and the next was not even asked for: those before it took all of it. */
    private HoldfastException outOfTime(String name) {
        return timeout(
                name,
                "Lock '" + name + "' was not asked for: the locks before it took all the time. Waited "
                        + Texts.ofNanos(waited()) + " and gave them back; nothing is held.");
    }

    HoldfastException toException(Refusal refusal) {
        Loss meanwhile = lost;
        if (meanwhile != null) {
            return lostMeanwhile(meanwhile);
        }
        if (isDueToThoseBefore(refusal)) {
            return timeout(
                    refusal.name(),
                    "Lock '" + refusal.name() + "' had not been answered for when the time was over, most of which"
                            + " the locks before it took. Waited " + Texts.ofNanos(waited())
                            + " and withdrew; nothing is held.");
        }
        HoldfastException single = new Refusal(
                        refusal.kind(),
                        refusal.name(),
                        refusal.waitedNanos() == 0 ? 0 : waited(),
                        refusal.heldBy(),
                        refusal.heldByThread(),
                        refusal.heldHereAgoNanos(),
                        refusal.cause())
                .toException();
        String message = single.getMessage() + together();
        if (single instanceof LockTimeoutException busy) {
            return new LockTimeoutException(message, busy.lockName(), refusal.heldBy(), busy.waited());
        }
        if (single instanceof LockUnavailableException away) {
            return new LockUnavailableException(
                    message, refusal.name(), refusal.heldBy(), away.waited(), away.getCause());
        }
        return single;
    }

    /**
     * Silence at the end of the wait is an outage only if it filled most of the wait. Otherwise the wait went into locks that
     * were busy, which is what the caller has to know.
     */
    private boolean isDueToThoseBefore(Refusal refusal) {
        return refusal.kind() == Refusal.Kind.UNAVAILABLE
                && refusal.cause() == null
                && !isUnlimited()
                && beforeLastNanos > maxWaitNanos / 2
                && maxWaitNanos > 0;
    }

    private LockTimeoutException timeout(String name, String message) {
        return new LockTimeoutException(message + together(), name, null, Duration.ofNanos(waited()));
    }

    private LeaseLostException lostMeanwhile(Loss loss) {
        return new LeaseLostException(
                loss,
                "It ended while the others were waited for, so they were given back; nothing is held. Ask again."
                        + together());
    }

    private String together() {
        return names.size() == 1 ? "" : " Asked for together: " + NameSet.text(names) + ".";
    }

    private long waited() {
        return engine.now() - sinceNanos;
    }
}
