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
                    all.add(new PlannedTrial(store, fault, round, seed));
                }
            }
        }
        return List.copyOf(all);
    }
}
