package dev.holdfast.spi;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.time.Duration;
import java.util.Objects;

/**
 * A request for a tenure: of the whole of what the key names, of any of the first so many slots of a semaphore, or of a share
 * of a read-write lock, beside others who read. Immutable.
 */
public final class Claim {
    private static final long NOT_QUEUED = Long.MIN_VALUE;

    private final String key;
    private final Owner owner;
    private final Duration lease;
    private final int tokens;
    private final Holder holder;
    private final int slots;
    private final boolean shared;
    private final long sinceMicros;

    private Claim(
            String key,
            Owner owner,
            Duration lease,
            int tokens,
            Holder holder,
            int slots,
            boolean shared,
            long sinceMicros) {
        this.key = Objects.requireNonNull(key, "key");
        this.owner = Objects.requireNonNull(owner, "owner");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.tokens = tokens;
        this.holder = Objects.requireNonNull(holder, "holder");
        this.slots = slots;
        this.shared = shared;
        this.sinceMicros = sinceMicros;
    }

    /**
     * A claim of the whole that does not wait in the backend's queue.
     *
     * @param key of a lock its name; see {@link LockKey}
     * @param owner the id this tenure will have; a repeated claim with the same owner is the same claim
     * @param tokens how many fencing tokens the tenure wants to hand out (the cohort size of this receiver)
     */
    public static Claim of(String key, Owner owner, Duration lease, int tokens, Holder holder) {
        return new Claim(key, owner, lease, tokens, holder, 1, false, NOT_QUEUED);
    }

    /** The same claim for any of the slots 0 to {@code slots} - 1. Only of a semaphore, and always of one. */
    public Claim forAnyOf(int slots) {
        return new Claim(key, owner, lease, tokens, holder, slots, shared, sinceMicros);
    }

    /** The same claim as a reader's. Only of a read-write lock. */
    public Claim forReading() {
        return new Claim(key, owner, lease, tokens, holder, slots, true, sinceMicros);
    }

    /**
     * The same claim, which waits in the backend's queue if the lock is busy. A backend without a queue ignores that.
     *
     * @param wallMicros when it began to wait, on {@link Environment#wallMicros()}: the same for every repetition of it
     */
    public Claim queuedSince(long wallMicros) {
        return new Claim(key, owner, lease, tokens, holder, slots, shared, wallMicros);
    }

    /** What is claimed: see {@link LockKey}. */
    public String key() {
        return key;
    }

    /** What kind of thing is claimed. */
    public LockKind kind() {
        return LockKey.kindOf(key);
    }

    public Owner owner() {
        return owner;
    }

    public Duration lease() {
        return lease;
    }

    public int tokens() {
        return tokens;
    }

    public Holder holder() {
        return holder;
    }

    /** Of a semaphore: it may be given any slot below this number. 1 for everything else. */
    public int slots() {
        return slots;
    }

    /** Whether it tolerates other readers. */
    public boolean shared() {
        return shared;
    }

    /** Whether to wait in the backend's queue if the lock is busy. */
    public boolean queue() {
        return sinceMicros != NOT_QUEUED;
    }

    /** When a claim with {@link #queue} began to wait: for people to read, never for a decision. */
    public long sinceMicros() {
        if (!queue()) {
            throw new IllegalStateException("This claim does not wait");
        }
        return sinceMicros;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Claim claim
                && key.equals(claim.key)
                && owner.equals(claim.owner)
                && lease.equals(claim.lease)
                && tokens == claim.tokens
                && holder.equals(claim.holder)
                && slots == claim.slots
                && shared == claim.shared
                && sinceMicros == claim.sinceMicros;
    }

    @Override
    public int hashCode() {
        return owner.hashCode();
    }

    @Override
    public String toString() {
        return "Claim of " + LockKey.decode(key) + (shared ? ", to read," : "") + " by " + holder + " for " + lease
                + (queue() ? ", queued" : "");
    }
}
