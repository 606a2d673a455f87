package dev.holdfast.spi;

import dev.holdfast.Holder;
import java.time.Duration;
import java.util.Objects;

/** A request for a tenure. Immutable. */
public final class Claim {
    private static final long NOT_QUEUED = Long.MIN_VALUE;

    private final String name;
    private final Owner owner;
    private final Duration lease;
    private final int tokens;
    private final Holder holder;
    private final long sinceMicros;

    private Claim(String name, Owner owner, Duration lease, int tokens, Holder holder, long sinceMicros) {
        this.name = Objects.requireNonNull(name, "name");
        this.owner = Objects.requireNonNull(owner, "owner");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.tokens = tokens;
        this.holder = Objects.requireNonNull(holder, "holder");
        this.sinceMicros = sinceMicros;
    }

    /**
     * A claim that does not wait in the backend's queue.
     *
     * @param owner the id this tenure will have; a repeated claim with the same owner is the same claim
     * @param tokens how many fencing tokens the tenure wants to hand out (the cohort size of this receiver)
     */
    public static Claim of(String name, Owner owner, Duration lease, int tokens, Holder holder) {
        return new Claim(name, owner, lease, tokens, holder, NOT_QUEUED);
    }

    /**
     * The same claim, which waits in the backend's queue if the lock is busy. A backend without a queue ignores that.
     *
     * @param wallMicros when it began to wait, on {@link Environment#wallMicros()}: the same for every repetition of it
     */
    public Claim queuedSince(long wallMicros) {
        return new Claim(name, owner, lease, tokens, holder, wallMicros);
    }

    public String name() {
        return name;
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
                && name.equals(claim.name)
                && owner.equals(claim.owner)
                && lease.equals(claim.lease)
                && tokens == claim.tokens
                && holder.equals(claim.holder)
                && sinceMicros == claim.sinceMicros;
    }

    @Override
    public int hashCode() {
        return owner.hashCode();
    }

    @Override
    public String toString() {
        return "Claim of " + name + " by " + holder + " for " + lease + (queue() ? ", queued" : "");
    }
}
