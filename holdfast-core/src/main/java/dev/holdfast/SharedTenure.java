package dev.holdfast;

import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of several tenures that a process may have under one key: a slot of a semaphore, with one lease at a time, or a share of
 * a read-write lock, with as many leases at a time as it has tokens.
 *
 * <p>Its fields, too, belong to the steps of the {@link NameQueue}.
 */
final class SharedTenure extends Tenure {
    private final int slot;
    /** The tenures of one key are a chain. */
    @Nullable
    Tenure next;

    private final List<TenureLease> leases = new ArrayList<>(1);

    SharedTenure(LocalClaim claim, Grant grant, long nowNanos) {
        super(claim, grant, nowNanos);
        this.slot = grant.slot();
    }

    @Override
    int slot() {
        return slot;
    }

    @Override
    boolean isShared() {
        return true;
    }

    @Override
    TenureLease newLease(Terms leaseTerms, Votes votes, long nowNanos, @Nullable String threadName) {
        TenureLease opened = super.newLease(leaseTerms, votes, nowNanos, threadName);
        if (isSlot()) {
            leases.clear();
        }
        leases.add(opened);
        updateFireTime();
        return opened;
    }

    @Override
    boolean canServe(Waiter waiter, long nowNanos) {
        return super.canServe(waiter, nowNanos) && (!isSlot() || slot < waiter.terms.slots());
    }

    private boolean isSlot() {
        return terms.slots() > 0;
    }

    @Override
    List<TenureLease> leases() {
        return List.copyOf(leases);
    }

    @Override
    boolean isOpen(TenureLease which) {
        return lease != null && leases.contains(which);
    }

    @Override
    boolean close(TenureLease closed) {
        if (isSlot()) {
            return false;
        }
        leases.remove(closed);
        if (lease == closed && !leases.isEmpty()) {
            lease = leases.get(0);
        }
        if (lease != null) {
            updateFireTime();
        }
        return !leases.isEmpty();
    }

    @Override
    @Nullable
    TenureLease leaseAtBound(long nowNanos) {
        if (lease != null) {
            for (TenureLease each : leases) {
                if (each.isAtBound(nowNanos)) {
                    return each;
                }
            }
        }
        return null;
    }

    @Override
    long firstBoundNanos() {
        long first = NEVER;
        if (lease != null) {
            for (TenureLease each : leases) {
                long bound = each.boundNanos();
                if (bound != NEVER && (first == NEVER || bound - first < 0)) {
                    first = bound;
                }
            }
        }
        return first;
    }
}
