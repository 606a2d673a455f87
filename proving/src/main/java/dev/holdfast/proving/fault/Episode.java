package dev.holdfast.proving.fault;

import dev.holdfast.proving.subject.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** One fault, or two at once that hit different things. */
public record Episode(List<Fault> faults) {
    private static final int MIXED = 4;

    public Episode {
        faults = List.copyOf(faults);
    }

    /**
     * What happens in a trial of this fault, one after the other: the fault itself, or what the seed makes of a mixture.
     *
     * @param playable whether this machine can play it
     */
    public static List<Episode> of(Fault fault, Store store, Predicate<Fault> playable, Random random) {
        if (!fault.name().equals(Faults.MIXED)) {
            return List.of(new Episode(List.of(fault)));
        }
        List<Fault> all = Faults.mixable(store).stream().filter(playable).toList();
        List<Episode> episodes = new ArrayList<>();
        for (int i = 0; i < MIXED; i++) {
            Fault first = all.get(random.nextInt(all.size()));
            List<Fault> others =
                    all.stream().filter(each -> each.where() != first.where()).toList();
            episodes.add(
                    random.nextBoolean() && !others.isEmpty()
                            ? new Episode(List.of(first, others.get(random.nextInt(others.size()))))
                            : new Episode(List.of(first)));
        }
        return episodes;
    }

    public boolean lasts() {
        return faults.stream().anyMatch(Fault::lasts);
    }

    /** In an order in which nobody waits for what is still broken: a client is replaced when it can reach the store. */
    public List<Fault> inOrderOfMending() {
        return faults.stream().sorted(Comparator.comparing(Fault::where)).toList();
    }
}
