package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One holder of a lock, a semaphore's slot or a read-write lock, as the backend sees it. Immutable; made by backends. */
public final class LockState {
    private final LockKey key;
    private final int slot;
    private final boolean shared;
    private final TenureHandle tenure;
    private final Holder holder;
    private final TokenRange tokens;
    private final Instant since;
    private final Duration remaining;
    private final List<Waiting> waiters;
    private final Votes votes;

    private LockState(Builder builder) {
        key = builder.key;
        slot = builder.slot;
        shared = builder.shared;
        tenure = builder.tenure;
        holder = Objects.requireNonNull(builder.holder, "holder");
        tokens = Objects.requireNonNull(builder.tokens, "tokens");
        since = Objects.requireNonNull(builder.since, "since");
        remaining = Objects.requireNonNull(builder.remaining, "remaining");
        waiters = builder.waiters;
        votes = builder.votes;
    }

    /**
     * For backends: describes the tenure of this owner. Holder, tokens, since and remaining must be set.
     *
     * @param key of a lock its name; see {@link LockKey}
     */
    public static Builder builder(String key, Owner owner) {
        return new Builder(LockKey.decode(key), TenureHandle.of(owner));
    }

    /** What is held: its kind and its name. */
    public LockKey key() {
        return key;
    }

    /** The name of the lock. */
    public String name() {
        return key.name();
    }

    /** Which slot of a semaphore is held, from 0; 0 for everything else. */
    public int slot() {
        return slot;
    }

    /** Whether the holder reads, beside other readers. */
    public boolean shared() {
        return shared;
    }

    /** Tells this tenure from the ones before and after it. */
    public TenureHandle tenure() {
        return tenure;
    }

    /** Who holds it. */
    public Holder holder() {
        return holder;
    }

    /** The tokens of this tenure: that of the lease in use is one of them. */
    public TokenRange tokens() {
        return tokens;
    }

    /** When the tenure began, by the clock of the store. */
    public Instant since() {
        return since;
    }

    /** How long it lasts if nobody renews it. */
    public Duration remaining() {
        return remaining;
    }

    /**
     * The processes in the backend's queue, oldest first; always empty where {@link Guarantees#fair} is false. A semaphore has one
     * queue for all its slots, shown with each of them, and a read-write lock one for readers and writers.
     */
    public List<Waiting> waiters() {
        return waiters;
    }

    /** How many nodes of the store hold it so; one of one where the store is one node. */
    public Votes votes() {
        return votes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockState state
                && key.equals(state.key)
                && slot == state.slot
                && shared == state.shared
                && tenure.equals(state.tenure)
                && holder.equals(state.holder)
                && tokens.equals(state.tokens)
                && since.equals(state.since)
                && remaining.equals(state.remaining)
                && waiters.equals(state.waiters)
                && votes.equals(state.votes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, tenure, tokens);
    }

    @Override
    public String toString() {
        String what = LockKey.describeCapitalized(key.encoded())
                + (key.kind() == LockKind.SEMAPHORE ? ", slot " + slot : "")
                + (shared ? ", read" : ", held");
        return what + " by " + holder + " since " + since + ", tokens " + tokens + ", "
                + Texts.of(remaining) + " left, " + waiters.size() + " waiting"
                + (votes.nodes() > 1 ? ", votes " + votes : "");
    }

    /** Collects what a backend knows. Not safe for use by many threads. */
    public static final class Builder {
        private final LockKey key;
        private final TenureHandle tenure;
        private int slot;
        private boolean shared;
        private @Nullable Holder holder;
        private @Nullable TokenRange tokens;
        private @Nullable Instant since;
        private @Nullable Duration remaining;
        private List<Waiting> waiters = List.of();
        private Votes votes = Votes.ONE_OF_ONE;

        private Builder(LockKey key, TenureHandle tenure) {
            this.key = key;
            this.tenure = tenure;
        }

        /** Who holds it. */
        public Builder holder(Holder holder) {
            this.holder = holder;
            return this;
        }

        /** The block of tokens that was granted, by its last one and its size. */
        public Builder tokens(long lastToken, int tokens) {
            this.tokens = TokenRange.endingWith(lastToken, tokens);
            return this;
        }

        /** When the tenure began, by the clock of the store. */
        public Builder since(Instant since) {
            this.since = since;
            return this;
        }

        /** How long it lasts if nobody renews it. */
        public Builder remaining(Duration remaining) {
            this.remaining = remaining;
            return this;
        }

        /** Which slot of a semaphore; 0 unless set. */
        public Builder slot(int slot) {
            this.slot = slot;
            return this;
        }

        /** Whether the holder reads; false unless set. */
        public Builder shared(boolean shared) {
            this.shared = shared;
            return this;
        }

        /** Who waits, oldest first; nobody unless set. */
        public Builder waiters(List<Waiting> waiters) {
            this.waiters = List.copyOf(waiters);
            return this;
        }

        /** Which nodes hold it so; one of one unless set. */
        public Builder votes(Votes votes) {
            this.votes = votes;
            return this;
        }

        /**
         * Makes it.
         *
         * @throws NullPointerException if something is missing that must be set
         */
        public LockState build() {
            return new LockState(this);
        }
    }
}
