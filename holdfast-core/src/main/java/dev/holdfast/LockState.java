package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A held lock as the backend sees it. Immutable; made by backends. */
public final class LockState {
    private final String name;
    private final TenureHandle tenure;
    private final Holder holder;
    private final TokenRange tokens;
    private final Instant since;
    private final Duration remaining;
    private final List<Waiting> waiters;
    private final Votes votes;

    private LockState(Builder builder) {
        name = builder.name;
        tenure = builder.tenure;
        holder = Objects.requireNonNull(builder.holder, "holder");
        tokens = Objects.requireNonNull(builder.tokens, "tokens");
        since = Objects.requireNonNull(builder.since, "since");
        remaining = Objects.requireNonNull(builder.remaining, "remaining");
        waiters = builder.waiters;
        votes = builder.votes;
    }

    /** For backends: describes the tenure of this owner. Holder, tokens, since and remaining must be set. */
    public static Builder builder(String name, Owner owner) {
        return new Builder(name, TenureHandle.of(owner));
    }

    /** The name of the lock. */
    public String name() {
        return name;
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

    /** The processes in the backend's queue, oldest first; always empty where {@link Guarantees#fair} is false. */
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
                && name.equals(state.name)
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
        return Objects.hash(name, tenure, tokens);
    }

    @Override
    public String toString() {
        return "Lock '" + name + "', held by " + holder + " since " + since + ", tokens " + tokens + ", "
                + Texts.of(remaining) + " left, " + waiters.size() + " waiting"
                + (votes.nodes() > 1 ? ", votes " + votes : "");
    }

    /** Collects what a backend knows. Not safe for use by many threads. */
    public static final class Builder {
        private final String name;
        private final TenureHandle tenure;
        private @Nullable Holder holder;
        private @Nullable TokenRange tokens;
        private @Nullable Instant since;
        private @Nullable Duration remaining;
        private List<Waiting> waiters = List.of();
        private Votes votes = Votes.ONE_OF_ONE;

        private Builder(String name, TenureHandle tenure) {
            this.name = Objects.requireNonNull(name, "name");
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
