package dev.holdfast;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds at the backend under one key: the whole of it, unless it is a {@link SharedTenure}. Leases are slices
 * of it, one at a time.
 *
 * <p>Every field but {@code validUntilNanos} and {@code fireAtNanos} is read and written only inside a step of its
 * {@link NameQueue}; those two are also read outside, so they are volatile.
 */
sealed class Tenure extends Alarm permits SharedTenure {
    /** Renewals fall on a grid this fine, so that locks acquired at different moments are renewed in one batch. */
    private static final int GRID_PER_LEASE = 32;
    /** After a renewal whose outcome is unknown, try again this soon. */
    private static final int RETRIES_PER_LEASE = 15;
    /** But no sooner: a fraction of what is left becomes nothing when validity ends, and a refused connection costs nothing. */
    private static final long SHORTEST_RETRY_NANOS = 1_000_000;

    private static final long HALF_CLAIM_WINDOW_NANOS = 1_000_000_000;
    /** A provisional tenure that ends sooner than this need not be confirmed: under contention most do. */
    private static final long CONFIRM_AFTER_NANOS = 2_000_000;
    /** A day. */
    private static final long LONGEST_RUN_NANOS = 86_400_000_000_000L;

    final Engine engine;
    final String key;
    final Owner owner;
    final Terms terms;
    final long lastToken;
    volatile long validUntilNanos;
    // Small types, because a hundred thousand of these may be held.
    private short tokensLeft;
    /** How much of a lease the backend last gave: nearly all of it, or less where it cannot vouch for that much (a session). */
    private short givenPermille;
    /** In milliseconds, rounded down. Compare by subtraction. */
    private final int runEndsMillis;

    private long renewAtNanos;
    private boolean provisional;
    private boolean uncertain;
    /** A question asked under this owner failed: it may still arrive at the backend, even after the release. */
    boolean unsettled;

    @Nullable
    TenureLease lease;

    Tenure(LocalClaim claim, Grant grant, long nowNanos) {
        this.engine = claim.engine;
        this.key = claim.key;
        this.owner = claim.owner;
        this.terms = claim.terms;
        this.lastToken = grant.lastToken();
        this.tokensLeft = (short) grant.tokens();
        this.validUntilNanos = grant.validUntilNanos();
        this.provisional = grant.provisional();
        given(nowNanos);
        this.runEndsMillis = millis(nowNanos + Math.min(terms.lease().toNanos(), LONGEST_RUN_NANOS));
        if (provisional) {
            renewAtNanos = nowNanos + Math.min(CONFIRM_AFTER_NANOS, (validUntilNanos - nowNanos) / 4);
        } else {
            planRenewal(nowNanos);
        }
    }

    static Tenure of(LocalClaim claim, Grant grant, long nowNanos) {
        return claim.terms.slots() > 0 || claim.terms.shared()
                ? new SharedTenure(claim, grant, nowNanos)
                : new Tenure(claim, grant, nowNanos);
    }

    Holding holding() {
        return new Holding(key, owner, lastToken, terms.lease(), slot(), terms.shared());
    }

    /** Which slot of a semaphore it is. */
    int slot() {
        return 0;
    }

    /** Whether it leaves room for other tenures of this process under the same key. */
    boolean isShared() {
        return false;
    }

    /** The leases that are open, or were when the tenure was lost; changed by {@link #close}. */
    List<TenureLease> leases() {
        return lease == null ? List.of() : List.of(lease);
    }

    boolean isOpen(TenureLease which) {
        return lease == which;
    }

    /** This lease was closed by its holder. True: others of this tenure were not. */
    boolean close(TenureLease closed) {
        return false;
    }

    /** A lease that has been held for as long as its bound allows. */
    @Nullable
    TenureLease leaseAtBound(long nowNanos) {
        return lease != null && lease.isAtBound(nowNanos) ? lease : null;
    }

    /** When the first of its leases reaches its bound, or NEVER. */
    long firstBoundNanos() {
        return lease == null ? NEVER : lease.boundNanos();
    }

    TenureLease newLease(Terms leaseTerms, Votes votes, long nowNanos, @Nullable String threadName) {
        TenureLease next = new TenureLease(this, lastToken - --tokensLeft, leaseTerms, votes, nowNanos, threadName);
        lease = next;
        updateFireTime();
        return next;
    }

    /** Whether the tenure may go to this waiter without asking the backend. */
    boolean canServe(Waiter waiter, long nowNanos) {
        return !uncertain
                && tokensLeft > 0
                && millis(nowNanos) - runEndsMillis < 0
                && validUntilNanos - nowNanos >= enoughForAnother()
                && terms.canShareTenureWith(waiter.terms);
    }

    /**
     * Half a lease, or half of what the backend gives: a tenure claimed anew would have no more. Of a provisional tenure half the
     * usual claim window, because its full length is already on the way.
     */
    private long enoughForAnother() {
        long half = terms.lease().toNanos() / 1000 * givenPermille / 2;
        return provisional ? Math.min(half, HALF_CLAIM_WINDOW_NANOS) : half;
    }

    private void given(long nowNanos) {
        long lease = terms.lease().toNanos();
        long given = Math.max(0, Math.min(lease, validUntilNanos - nowNanos));
        givenPermille = (short) (given / (lease / 1000));
    }

    private static int millis(long nanos) {
        return (int) Math.floorDiv(nanos, 1_000_000L);
    }

    boolean isOver(long nowNanos) {
        return nowNanos - validUntilNanos >= 0;
    }

    /** The last thing heard of the store is that it did not answer a renewal. */
    boolean isUncertain() {
        return uncertain;
    }

    /** The store has spoken: this tenure is over. */
    void provenOver() {
        uncertain = false;
    }

    boolean isRenewalDue(long nowNanos) {
        return renewAtNanos != NEVER && nowNanos - renewAtNanos >= 0;
    }

    /** A fixed lease is not to be lengthened, once it has its full length. */
    boolean wantsRenewal() {
        return terms.renewing() || provisional;
    }

    /** A renewal goes out now. If its answer never comes, the next one goes out all the same. */
    void renewalSent(long nowNanos) {
        planRenewal(nowNanos);
        updateFireTime();
    }

    void renewed(long untilNanos, long nowNanos) {
        lengthen(untilNanos);
        given(nowNanos);
        uncertain = false;
        provisional = false;
        planRenewal(nowNanos);
        updateFireTime();
    }

    void renewalUnknown(long nowNanos) {
        uncertain = true;
        long left = Math.min(terms.lease().toNanos(), validUntilNanos - nowNanos);
        renewAtNanos = nowNanos + Math.max(left / RETRIES_PER_LEASE, SHORTEST_RETRY_NANOS);
        updateFireTime();
    }

    /** An answer may only ever lengthen: answers can overtake each other. */
    void lengthen(long untilNanos) {
        if (untilNanos - validUntilNanos > 0) {
            validUntilNanos = untilNanos;
        }
        updateFireTime();
    }

    void end() {
        lease = null;
        fireAtNanos = NEVER;
    }

    private void planRenewal(long nowNanos) {
        if (!wantsRenewal()) {
            renewAtNanos = NEVER;
            return;
        }
        long leaseNanos = terms.lease().toNanos();
        long left = Math.max(validUntilNanos - nowNanos, leaseNanos / GRID_PER_LEASE);
        long due = nowNanos + Math.min(left, leaseNanos) / 3;
        long onGrid = due - Math.floorMod(due, Math.max(1, leaseNanos / GRID_PER_LEASE));
        renewAtNanos = onGrid - nowNanos > 0 ? onGrid : due;
    }

    final void updateFireTime() {
        long fireAt = validUntilNanos;
        if (renewAtNanos != NEVER && renewAtNanos - fireAt < 0) {
            fireAt = renewAtNanos;
        }
        long bound = firstBoundNanos();
        if (bound != NEVER && bound - fireAt < 0) {
            fireAt = bound;
        }
        fireAtNanos = fireAt;
    }

    @Override
    void fire() {
        engine.tenureDue(this, null);
    }
}
