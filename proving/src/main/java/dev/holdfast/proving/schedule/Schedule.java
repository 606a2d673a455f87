package dev.holdfast.proving.schedule;

import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.subject.Store;
import java.util.ArrayList;
import java.util.List;

/** The trials of a run, in order: store by store, because servers and clients stay. The same seed gives the same trials. */
public final class Schedule {
    private Schedule() {}

    public static List<PlannedTrial> of(List<Store> stores, List<Fault> faults, int rounds, long seed) {
        List<PlannedTrial> all = new ArrayList<>();
        for (Store store : stores) {
            for (Fault fault : faults) {
                for (int round = 1; round <= rounds && fault.isFor(store); round++) {
                    all.add(new PlannedTrial(store, fault, round, seed(seed, store, fault)));
                }
            }
        }
        return List.copyOf(all);
    }

    /** The same for a fault on a store, whatever else is played: a single trial can be replayed alone. Rounds are such replays. */
    private static long seed(long seed, Store store, Fault fault) {
        return (seed * 31 + store.name().hashCode()) * 31 + fault.name().hashCode();
    }
}
