package dev.holdfast.spring;

import dev.holdfast.FencingToken;
import dev.holdfast.Lease;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the current thread runs a {@link Locked} method or the section of a {@link LockTemplate}. It belongs to
 * that thread: code that the method runs elsewhere needs the {@link Lease} itself, as an argument.
 */
public final class LockedContext {
    private static final ThreadLocal<@Nullable LockedContext> CURRENT = new ThreadLocal<>();

    private final List<HeldLock> held;
    private final @Nullable LockedContext outer;

    private LockedContext(List<HeldLock> held, @Nullable LockedContext outer) {
        this.held = held;
        this.outer = outer;
    }

    /** The innermost one of this thread; empty if it runs under no lock. */
    public static Optional<LockedContext> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * The lease of the lock.
     *
     * @throws IllegalStateException if there are several: name the one that is meant
     */
    public Lease lease() {
        if (held.size() != 1) {
            throw new IllegalStateException("There are " + held.size() + " locks, "
                    + leases().stream().map(Lease::name).toList() + ": call lease(name) with the one that is meant.");
        }
        return held.get(0).lease();
    }

    /**
     * The lease of this lock, from this method or one further out.
     *
     * @param name the whole name, with the key
     * @throws IllegalStateException if this thread does not run under that lock
     */
    public Lease lease(String name) {
        HeldLock found = find(this, name);
        if (found == null) {
            throw new IllegalStateException(
                    "This thread does not run under the lock '" + name + "', but under " + leases());
        }
        return found.lease();
    }

    /** The token of {@link #lease()}. */
    public FencingToken token() {
        return lease().token();
    }

    /** The leases of the innermost method, in the order of the locks' names. */
    public List<Lease> leases() {
        return held.stream().map(HeldLock::lease).toList();
    }

    /** To be left on the same thread, by {@link #exit}. */
    static LockedContext enter(HeldLocks held) {
        LockedContext context = new LockedContext(held.all(), CURRENT.get());
        CURRENT.set(context);
        return context;
    }

    void exit() {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    static @Nullable HeldLock find(String name) {
        return find(CURRENT.get(), name);
    }

    private static @Nullable HeldLock find(@Nullable LockedContext from, String name) {
        for (LockedContext each = from; each != null; each = each.outer) {
            for (HeldLock lock : each.held) {
                if (lock.lease().name().equals(name)) {
                    return lock;
                }
            }
        }
        return null;
    }

    /** Throws LeaseLostException if any lease of this thread ended by itself, those further out included. */
    static void ensureNoneLost() {
        for (LockedContext each = CURRENT.get(); each != null; each = each.outer) {
            each.held.forEach(HeldLock::ensureNotLost);
        }
    }
}
