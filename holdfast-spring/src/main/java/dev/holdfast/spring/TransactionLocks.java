package dev.holdfast.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks that are held until a transaction completes. Bound to the thread beside the transaction, and left there while it is
 * suspended: a transaction within it may then join its locks, and keeps its own ones in an object of its own.
 */
final class TransactionLocks implements TransactionSynchronization, Ordered {
    private static final Object KEY = TransactionLocks.class;

    private final @Nullable TransactionLocks outer;
    private final List<HeldLock> held = new ArrayList<>();
    private volatile boolean completed;

    private TransactionLocks(@Nullable TransactionLocks outer) {
        this.outer = outer;
    }

    /** Whether there is a transaction whose completion can be awaited. */
    static boolean isTransactionOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Lets the current transaction hold these as well. */
    static void hold(HeldLocks locks) {
        TransactionLocks current = ofCurrentTransaction();
        for (HeldLock each : locks.all()) {
            if (!current.held.contains(each) && each.join()) {
                current.held.add(each);
            }
        }
    }

    private static TransactionLocks ofCurrentTransaction() {
        TransactionLocks bound = bound();
        if (bound != null
                && TransactionSynchronizationManager.getSynchronizations().contains(bound)) {
            return bound;
        }
        TransactionLocks locks = new TransactionLocks(bound);
        TransactionSynchronizationManager.registerSynchronization(locks);
        rebind(locks);
        return locks;
    }

    /** A lock that the current transaction or one that it suspended holds; null if none does. */
    static @Nullable HeldLock find(String name) {
        for (TransactionLocks each = bound(); each != null; each = each.outer) {
            for (HeldLock lock : each.held) {
                if (lock.lease().name().equals(name)) {
                    return lock;
                }
            }
        }
        return null;
    }

    /** One that completed on another thread could not be unbound here, and is passed over. */
    private static @Nullable TransactionLocks bound() {
        TransactionLocks bound = (TransactionLocks) TransactionSynchronizationManager.getResource(KEY);
        while (bound != null && bound.completed) {
            bound = bound.outer;
        }
        return bound;
    }

    private static void rebind(@Nullable TransactionLocks locks) {
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        if (locks != null) {
            TransactionSynchronizationManager.bindResource(KEY, locks);
        }
    }

    /** Behind those that ask for an earlier place: what they do is still protected. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    /** What is thrown here makes the transaction roll back. */
    @Override
    public void beforeCommit(boolean readOnly) {
        held.forEach(HeldLock::ensureNotLost);
    }

    @Override
    public void afterCompletion(int status) {
        // A transaction of several resources may complete on another thread, where something else is bound.
        if (bound() == this) {
            rebind(outer);
        }
        completed = true;
        for (int i = held.size() - 1; i >= 0; i--) {
            held.get(i).leave();
        }
    }
}
