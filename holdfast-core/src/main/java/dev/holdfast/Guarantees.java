package dev.holdfast;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a backend promises, for people who choose one and for pages that show it. The conformance kit asserts the
 * capabilities both ways: what is declared works, what is not declared is refused. Immutable; made by backends.
 */
public final class Guarantees {
    /** How a waiting process is woken. Each has a timer beside it, for the wake-up that never comes. */
    public enum Waking {
        /** The store gives the lock to the next waiter and tells it. */
        HAND_OVER,
        /** The store says that the lock may be free, the waiter asks. */
        HINT,
        /** The waiter asks now and then. */
        POLL
    }

    /** What becomes of a lock when another server takes over that may not know it. */
    public enum Failover {
        /** No other server takes over, or one that knows every lock. */
        NONE,
        /**
         * A lock may be forgotten. Then its holder is told with its next renewal at the latest, tokens go on growing, and those who
         * waited come back by themselves. Until the holder is told, two may believe to hold it.
         */
        TOLD
    }

    private final String exclusion;
    private final String tokenSource;
    private final Waking waking;
    private final boolean fair;
    private final boolean heldAtLeast;
    private final Failover failover;
    /** Why a kind is not offered; kinds that are offered have no entry. */
    private final Map<LockKind, String> refused;

    private Guarantees(Builder builder) {
        exclusion = Objects.requireNonNull(builder.exclusion, "exclusion");
        tokenSource = Objects.requireNonNull(builder.tokenSource, "tokenSource");
        waking = builder.waking;
        fair = builder.fair;
        heldAtLeast = builder.heldAtLeast;
        failover = builder.failover;
        refused = Map.copyOf(builder.refused);
    }

    /** For backends: exclusion and tokenSource must be set. */
    public static Builder builder() {
        return new Builder();
    }

    /** What mutual exclusion survives, in one sentence. */
    public String exclusion() {
        return exclusion;
    }

    /** Where fencing tokens come from. */
    public String tokenSource() {
        return tokenSource;
    }

    /** How a waiting process learns that the lock is free. */
    public Waking waking() {
        return waking;
    }

    /** Whether processes are served in the order in which they began to wait. */
    public boolean fair() {
        return fair;
    }

    /** Whether the store can keep a lock taken after its lease was closed: see {@link Acquirable#heldAtLeast}. */
    public boolean heldAtLeast() {
        return heldAtLeast;
    }

    /** What becomes of a lock when another server takes over. */
    public Failover failover() {
        return failover;
    }

    /** Whether the store keeps this kind of lock. Asking for one that it does not keep throws, before anything is sent. */
    public boolean offers(LockKind kind) {
        return !refused.containsKey(kind);
    }

    /** Why the store does not keep this kind, in one sentence; empty if it does. */
    public String refusal(LockKind kind) {
        return refused.getOrDefault(kind, "");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Guarantees those
                && exclusion.equals(those.exclusion)
                && tokenSource.equals(those.tokenSource)
                && waking == those.waking
                && fair == those.fair
                && heldAtLeast == those.heldAtLeast
                && failover == those.failover
                && refused.equals(those.refused);
    }

    @Override
    public int hashCode() {
        return Objects.hash(exclusion, tokenSource, waking, fair, heldAtLeast, failover, refused);
    }

    @Override
    public String toString() {
        return "Exclusion survives: " + exclusion + ". Tokens: " + tokenSource + ". Waking: " + waking
                + (fair ? ", in order" : ", in no order");
    }

    /** Collects what a backend promises. Not safe for use by many threads. */
    public static final class Builder {
        private @Nullable String exclusion;
        private @Nullable String tokenSource;
        private Waking waking = Waking.POLL;
        private boolean fair;
        private boolean heldAtLeast;
        private Failover failover = Failover.NONE;
        private final Map<LockKind, String> refused = new EnumMap<>(LockKind.class);

        private Builder() {
            refused.put(LockKind.SEMAPHORE, "this store keeps no semaphores");
            refused.put(LockKind.READ_WRITE_LOCK, "this store keeps no read-write locks");
        }

        /** What mutual exclusion survives, in one sentence. */
        public Builder exclusion(String exclusion) {
            this.exclusion = exclusion;
            return this;
        }

        /** Where fencing tokens come from. */
        public Builder tokenSource(String tokenSource) {
            this.tokenSource = tokenSource;
            return this;
        }

        /** How a waiting process learns that the lock is free; it polls unless set. */
        public Builder waking(Waking waking) {
            this.waking = waking;
            return this;
        }

        /** Whether processes are served in the order in which they began to wait; false unless set. */
        public Builder fair(boolean fair) {
            this.fair = fair;
            return this;
        }

        /** Whether {@code LockBackend.releaseLater} works; false unless set. */
        public Builder heldAtLeast(boolean heldAtLeast) {
            this.heldAtLeast = heldAtLeast;
            return this;
        }

        /** What becomes of a lock when another server takes over; {@link Failover#NONE} unless set. */
        public Builder failover(Failover failover) {
            this.failover = Objects.requireNonNull(failover, "failover");
            return this;
        }

        /** The store keeps this kind of lock, too. Locks are always offered. */
        public Builder offers(LockKind kind) {
            refused.remove(kind);
            return this;
        }

        /** The store does not keep this kind, for this reason: the second half of a sentence. */
        public Builder refuses(LockKind kind, String reason) {
            if (kind == LockKind.LOCK) {
                throw new IllegalArgumentException("Every backend offers locks");
            }
            refused.put(kind, Objects.requireNonNull(reason, "reason"));
            return this;
        }

        /**
         * Makes it.
         *
         * @throws NullPointerException if a sentence is missing
         */
        public Guarantees build() {
            return new Guarantees(this);
        }
    }
}
