package dev.holdfast.proving.schedule;

import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.subject.Store;

/**
 * One fault on one store.
 *
 * @param round from 1; each fault is played once in a round, in all rounds with the same seed
 * @param seed decides who holds the lock, when the fault comes, how long it lasts and whom it hits
 */
public record PlannedTrial(Store store, Fault fault, int round, long seed) {
    /** Names the folder of its logs, and the lock. */
    public String id() {
        return store.name().toLowerCase(java.util.Locale.ROOT) + "-" + fault.name() + "-" + round;
    }
}
