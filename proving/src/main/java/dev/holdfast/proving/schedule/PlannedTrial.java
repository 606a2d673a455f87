package dev.holdfast.proving.schedule;

import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subject;
import java.util.Locale;

/**
 * One fault on one store.
 *
 * @param round from 1; each fault is played once in a round, in all rounds with the same seed
 * @param runSeed the seed of the run that it is part of
 */
public record PlannedTrial(Store store, Fault fault, int round, long runSeed) {
    /** Names the folder of its logs, and the lock. */
    public String id() {
        return store.name().toLowerCase(Locale.ROOT) + "-" + fault.name() + "-" + round;
    }

    /**
     * Decides who holds the lock, when the fault comes, how long it lasts and whom it hits. The same for a fault on a store, whatever else
     * is played: a trial can be replayed alone.
     */
    public long seed() {
        return (runSeed * 31 + store.name().hashCode()) * 31 + fault.name().hashCode();
    }

    /** Replays it for this subject. */
    public String command(Subject subject) {
        return "./prove --seed " + runSeed + " " + subject.id() + " " + fault.name();
    }
}
