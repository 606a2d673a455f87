package dev.holdfast.jdbc.file;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which store is in use, and whether another one has taken its place since we began. */
public final class StoreIdentity {
    // Both written under the lock, together: whoever finds that the store is no longer known also finds why.
    private final ReentrantLock lock = new ReentrantLock();
    // Null before the first, and when it is gone.
    private volatile @Nullable Object known;
    private volatile @Nullable String replacement;
    private volatile Runnable whenReplaced = () -> {};

    public void whenReplaced(Runnable action) {
        whenReplaced = action;
    }

    @Nullable
    public Object known() {
        return known;
    }

    /** What happened, if the store was replaced since we began; null if not. */
    @Nullable
    public String replacement() {
        return replacement;
    }

    /**
     * Sets the store that is in use now. If it was another one before, those who hold locks in that one are told.
     *
     * @param store null: there is none
     * @param what to say if it is another one than before
     */
    public void adopt(@Nullable Object store, String what) {
        boolean isAnother;
        lock.lock();
        try {
            Object before = known;
            isAnother = before != null && !before.equals(store);
            if (isAnother) {
                replacement = what;
            }
            known = store;
        } finally {
            lock.unlock();
        }
        if (isAnother) {
            whenReplaced.run();
        }
    }
}
