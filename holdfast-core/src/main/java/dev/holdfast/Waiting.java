package dev.holdfast;

import java.time.Instant;
import java.util.Objects;

/** A process in a lock's queue at the store. Immutable; made by backends. */
public final class Waiting {
    private final Holder process;
    private final Instant since;

    private Waiting(Holder process, Instant since) {
        this.process = Objects.requireNonNull(process, "process");
        this.since = Objects.requireNonNull(since, "since");
    }

    /** For backends. */
    public static Waiting of(Holder process, Instant since) {
        return new Waiting(process, since);
    }

    /** Who waits. */
    public Holder process() {
        return process;
    }

    /**
     * Since when, by the clock of that process or of the store: for people to read. {@link Instant#EPOCH} if its place in the queue does
     * not say.
     */
    public Instant since() {
        return since;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Waiting waiting && process.equals(waiting.process) && since.equals(waiting.since);
    }

    @Override
    public int hashCode() {
        return Objects.hash(process, since);
    }

    @Override
    public String toString() {
        return process + " since " + since;
    }
}
