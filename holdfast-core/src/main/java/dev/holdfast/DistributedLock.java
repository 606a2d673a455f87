package dev.holdfast;

import java.util.concurrent.locks.Lock;

/**
 * A lock that one holder has at a time, or one side of a {@link DistributedReadWriteLock}: a name with options. How to acquire
 * it: see {@link Acquirable}.
 */
public final class DistributedLock extends Acquirable<DistributedLock> {
    DistributedLock(Holdfast holdfast, Engine engine, String key, Terms terms) {
        super(holdfast, engine, key, terms);
    }

    @Override
    DistributedLock with(Terms other) {
        return new DistributedLock(holdfast, engine, key, other);
    }

    /**
     * This lock as {@link Lock}, for code that expects one. Reentrant per thread: a thread that holds it through any
     * adapter of this name and {@link Holdfast} (of a read-write lock: of the same side) holds it again at once, on the terms of the first time. {@code unlock}
     * throws {@link IllegalMonitorStateException} if this thread does not hold it, and {@link LeaseLostException} if the
     * lease ended before. {@code newCondition} is not supported.
     */
    @CheckReturnValue
    public Lock asLock() {
        return new LockAdapter(this, holdfast.threadHolds());
    }

    @Override
    public String toString() {
        return "DistributedLock of " + LockKey.describe(key) + (terms.shared() ? ", to read" : "");
    }
}
