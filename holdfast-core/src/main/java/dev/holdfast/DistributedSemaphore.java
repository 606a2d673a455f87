package dev.holdfast;

/**
 * A semaphore across processes: at most so many leases at a time, each on a slot of its own. The slot ({@link Lease#slot}) and
 * its {@linkplain Lease#token token} can guard a resource: one of eight working directories, one of sixteen partitions. How to
 * acquire a permit: see {@link Acquirable}.
 *
 * <p>Waiters stand in one line for any slot. The permits of a process that died are free after their leases. The number of
 * permits belongs to this handle and not to the store: two processes may differ, for example while a new configuration is
 * rolled out. A waiter only gets a slot below its own number, and no permit is ever taken away.
 */
public final class DistributedSemaphore extends Acquirable<DistributedSemaphore> {
    /** More would make each look of a waiter expensive for the store. */
    static final int MOST_PERMITS = 1000;

    DistributedSemaphore(Holdfast holdfast, Engine engine, String key, Terms terms) {
        super(holdfast, engine, key, terms);
    }

    static int requirePermits(int permits) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException("A semaphore has from 1 to " + MOST_PERMITS + " permits: " + permits);
        }
        return permits;
    }

    @Override
    DistributedSemaphore with(Terms other) {
        return new DistributedSemaphore(holdfast, engine, key, other);
    }

    /** How many permits there are. */
    public int permits() {
        return terms.slots();
    }

    @Override
    public String toString() {
        return "DistributedSemaphore '" + name() + "' of " + permits();
    }
}
