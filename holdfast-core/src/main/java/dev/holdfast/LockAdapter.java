package dev.holdfast;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A {@link DistributedLock} as {@link Lock}. What a thread holds is kept with the thread, so no two threads share state. */
final class LockAdapter implements Lock {
    /** A lease, and how many times its thread has locked it. */
    private static final class Hold {
        final Lease lease;
        int depth = 1;

        Hold(Lease lease) {
            this.lease = lease;
        }
    }

    /** What each thread holds through adapters of one Holdfast. A thread that holds nothing has no entry. */
    static final class ThreadHolds {
        @SuppressWarnings(
                "ThreadLocalUsage") // One for each Holdfast, and a Holdfast lives as long as its process needs it.
        private final ThreadLocal<@Nullable Map<Object, Hold>> byLock = new ThreadLocal<>();

        @Nullable
        Hold get(Object lock) {
            Map<Object, Hold> holds = byLock.get();
            return holds == null ? null : holds.get(lock);
        }

        void put(Object lock, Lease lease) {
            Map<Object, Hold> holds = byLock.get();
            if (holds == null) {
                holds = new HashMap<>();
                byLock.set(holds);
            }
            holds.put(lock, new Hold(lease));
        }

        void remove(Object lock) {
            Map<Object, Hold> holds = byLock.get();
            if (holds != null && holds.remove(lock) != null && holds.isEmpty()) {
                byLock.remove();
            }
        }
    }

    /** The two sides of a read-write lock are two locks here. */
    private record Reading(String key) {}

    private final DistributedLock lock;
    private final ThreadHolds holds;
    /** Under what {@link ThreadHolds} keeps it. */
    private final Object held;

    LockAdapter(DistributedLock lock, ThreadHolds holds) {
        this.lock = lock;
        this.held = lock.terms.shared() ? new Reading(lock.key) : lock.key;
        this.holds = holds;
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    lockInterruptibly();
                    return;
                } catch (InterruptedException e) {
                    // The contract of lock(): go on, and hand the interrupt back at the end.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!reenter()) {
            enter(lock.acquire());
        }
    }

    @Override
    public boolean tryLock() {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return reenter() || enter(lock.tryAcquire());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long longest = unit.convert(Durations.LONGEST_WAIT);
        Duration maxWait = Duration.of(Math.max(0, Math.min(time, longest)), unit.toChronoUnit());
        return reenter() || enter(lock.tryAcquire(maxWait));
    }

    @Override
    public void unlock() {
        Hold hold = holds.get(held);
        if (hold == null) {
            throw new IllegalMonitorStateException("Thread '"
                    + Thread.currentThread().getName()
                    + "' does not hold " + LockKey.describe(lock.key) + " through asLock(); nothing was released."
                    + " To release from another thread, use a Lease.");
        }
        if (--hold.depth > 0) {
            return;
        }
        holds.remove(held);
        try (Lease lease = hold.lease) {
            lease.ensureValid(Duration.ZERO);
        }
    }

    /** There is no way to wait on a condition across processes that would keep its promise. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(LockKey.describeCapitalized(lock.key)
                + " is held across processes, and a Condition cannot be: signal through the resource itself, or use a"
                + " java.util.concurrent lock for threads of one process.");
    }

    private boolean reenter() {
        Hold hold = holds.get(held);
        if (hold == null) {
            return false;
        }
        // Entering once more on a lease that has ended would run the inner section unprotected.
        hold.lease.ensureValid(Duration.ZERO);
        hold.depth++;
        return true;
    }

    private boolean enter(Optional<Lease> lease) {
        lease.ifPresent(this::enter);
        return lease.isPresent();
    }

    /** A lease that its thread cannot find again would never be released. */
    private void enter(Lease lease) {
        try {
            holds.put(held, lease);
        } catch (Throwable e) {
            lease.close();
            throw e;
        }
    }

    @Override
    public String toString() {
        return "Lock over " + lock;
    }
}
