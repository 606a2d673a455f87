package dev.holdfast;

/**
 * A lock across processes that any number of readers hold together, or one writer alone. Does nothing by itself: {@link #read}
 * and {@link #write} are locks. Immutable; safe for use by many threads.
 *
 * <p>Fair: whoever comes after a waiting writer stands behind it. Readers and writers take their {@linkplain Lease#token tokens}
 * from one counter: a reader's is above those of all writers before it, and below those of all writers after it.
 *
 * <p>There is no upgrade: a reader that waits for the write lock while it reads waits for itself, and two of them for each
 * other. Close the read lease first, acquire the write lock, and read again. Nor is there a downgrade: a writer that wants to
 * go on reading closes its lease and acquires the read lock.
 */
public final class DistributedReadWriteLock {
    private final DistributedLock read;
    private final DistributedLock write;

    DistributedReadWriteLock(Holdfast holdfast, Engine engine, String key, Terms defaults) {
        read = new DistributedLock(holdfast, engine, key, defaults.toRead());
        write = new DistributedLock(holdfast, engine, key, defaults);
    }

    /** The name, as given. */
    public String name() {
        return write.name();
    }

    /** Held together with other readers, never beside a writer. */
    public DistributedLock read() {
        return read;
    }

    /** Held alone. */
    public DistributedLock write() {
        return write;
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock '" + name() + "'";
    }
}
