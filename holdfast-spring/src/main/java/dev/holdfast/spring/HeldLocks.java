package dev.holdfast.spring;

import dev.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one call holds, in the order in which it was acquired. Used by one thread at a time. */
final class HeldLocks {
    private final List<HeldLock> held = new ArrayList<>(1);

    /** Waits for each in turn. If one cannot be had, those before it are given back. */
    static HeldLocks acquire(List<LockRequest> inOrder) throws BusyException, InterruptedException {
        HeldLocks locks = new HeldLocks();
        boolean complete = false;
        try {
            for (LockRequest request : inOrder) {
                locks.add(joinedOrAcquired(request));
            }
            complete = true;
            return locks;
        } finally {
            if (!complete) {
                locks.leave();
            }
        }
    }

    private static HeldLock joinedOrAcquired(LockRequest request) throws BusyException, InterruptedException {
        HeldLock joined = joined(request);
        if (joined != null) {
            return joined;
        }
        try {
            return new HeldLock(request.lock().acquire(request.maxWait()));
        } catch (LockTimeoutException e) {
            throw new BusyException(request.position(), e);
        }
    }

    /** Waiting for a lock that this very thread holds would last until the wait is over. */
    static @Nullable HeldLock joined(LockRequest request) {
        HeldLock held = LockedContext.find(request.lock().name());
        if (held == null) {
            held = TransactionLocks.find(request.lock().name());
        }
        return held != null && !held.isClosed() && held.join() ? held : null;
    }

    void add(HeldLock lock) {
        held.add(lock);
    }

    List<HeldLock> all() {
        return held;
    }

    void ensureValid() {
        held.forEach(each -> each.lease().ensureValid(Duration.ZERO));
    }

    void ensureNotLost() {
        held.forEach(HeldLock::ensureNotLost);
    }

    /** Gives back in reverse order. Closing a lease does not throw, so none keeps the others from being given back. */
    void leave() {
        for (int i = held.size() - 1; i >= 0; i--) {
            held.get(i).leave();
        }
    }

    CompletableFuture<Void> leaveAsync() {
        CompletableFuture<?>[] left = new CompletableFuture<?>[held.size()];
        for (int i = held.size() - 1; i >= 0; i--) {
            left[i] = held.get(i).leaveAsync();
        }
        return CompletableFuture.allOf(left);
    }
}
