package dev.holdfast;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A fence for a resource that lives in this process. Safe for use by many threads. */
public final class InMemoryFence implements Fence {
    private final String resource;
    // Guards newest, and makes check and write one step.
    private final ReentrantLock lock = new ReentrantLock();
    private long newest;

    /** A fence that has seen no token yet. */
    public InMemoryFence(String resource) {
        this.resource = Objects.requireNonNull(resource, "resource");
    }

    @Override
    public void announce(FencingToken token) {
        guarded(token, () -> token);
    }

    @Override
    public void check(FencingToken token) {
        guarded(token, () -> token);
    }

    /**
     * Checks and writes in one step: nobody can announce a newer token in between.
     *
     * @throws StaleTokenException if a newer token was seen; the write did not run
     */
    public <T> T guarded(FencingToken token, Supplier<T> write) {
        lock.lock();
        try {
            if (token.value() < newest) {
                throw new StaleTokenException(resource, token, new FencingToken(newest));
            }
            newest = token.value();
            return write.get();
        } finally {
            lock.unlock();
        }
    }
}
