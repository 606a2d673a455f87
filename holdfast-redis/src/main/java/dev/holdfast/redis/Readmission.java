package dev.holdfast.redis;

import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which nodes may vote again, from what all nodes said after the wait. Pure.
 *
 * <p>Two things have to be mended in a node that may have forgotten: votes it may have given, by waiting until every lease
 * is over; and its counters, by raising them to what the others remember. Either alone is not enough.
 */
final class Readmission {
    /** Beyond what any clock of the nodes shows: where too few remember, order rests on clocks. */
    private static final long AHEAD_MICROS = 1_000_000;

    /**
     * What one node said.
     *
     * @param nonce names the state in which it is watched; null if it votes
     * @param observedMillis for how long it has certainly been in that state
     */
    record Report(
            int node,
            @Nullable String nonce,
            long observedMillis,
            long maxLeaseMillis,
            long timeMicros,
            List<Long> counters) {
        boolean isAdmitted() {
            return nonce == null;
        }
    }

    /** What follows. */
    sealed interface Decision {
        /** Not now: what is missing, for people. */
        record Wait(String why) implements Decision {}

        /** Leases may be longer than was thought: wait for that, then read everything again. */
        record WaitFor(long maxLeaseMillis) implements Decision {}

        /**
         * These may vote.
         *
         * @param seeds the least that their counters may be, by bucket
         * @param byClocks too few nodes remember, so the order of tokens over this event rests on clocks
         */
        record Admit(List<Report> nodes, List<Long> seeds, boolean byClocks) implements Decision {}
    }

    private Readmission() {}

    static long watchMillis(long maxLeaseMillis) {
        return maxLeaseMillis + Validity.driftNanos(Duration.ofMillis(maxLeaseMillis)) / 1_000_000 + 1;
    }

    /**
     * Who may vote, if anybody.
     *
     * @param nodes how many there are
     * @param watched those for which the wait was over before any of these reports was asked for
     * @param waitedForMillis the longest lease that was waited for before any of these reports was asked for
     */
    static Decision decide(int nodes, Set<Integer> watched, long waitedForMillis, List<Report> reports) {
        // A report may be older than a lease that was announced since: only reports after the longest wait count.
        long longest = reports.stream().mapToLong(Report::maxLeaseMillis).max().orElse(0);
        if (longest > waitedForMillis) {
            return new Decision.WaitFor(longest);
        }
        List<Report> admitted = reports.stream().filter(Report::isAdmitted).toList();
        List<Report> lost = reports.stream().filter(each -> !each.isAdmitted()).toList();
        List<Report> ripe = lost.stream()
                .filter(each -> watched.contains(each.node()) && each.observedMillis() >= watchMillis(waitedForMillis))
                .toList();
        if (ripe.isEmpty()) {
            return new Decision.Wait("it is being watched");
        }
        // Whoever won with the help of a node that forgot had a majority, so enough of the others remember it.
        int others = Ballot.majorityOf(nodes - 1);
        if (admitted.size() >= others) {
            return new Decision.Admit(ripe, largest(admitted, 0), false);
        }
        if (nodes - lost.size() >= others) {
            return new Decision.Wait(
                    "it needs the memory of " + others + " others, and " + admitted.size() + " answer");
        }
        // Even if all that are silent came back with their memory, they would be too few.
        if (reports.size() < Ballot.majorityOf(nodes)) {
            return new Decision.Wait("a majority has to answer, and " + reports.size() + " do");
        }
        if (ripe.size() < lost.size()) {
            return new Decision.Wait("others that have forgotten too are still being watched");
        }
        long latest = reports.stream().mapToLong(Report::timeMicros).max().orElse(0);
        return new Decision.Admit(ripe, largest(reports, latest + AHEAD_MICROS), true);
    }

    private static List<Long> largest(List<Report> reports, long floor) {
        List<Long> seeds = new ArrayList<>();
        for (int bucket = 0; bucket < Keys.BUCKETS; bucket++) {
            long seed = floor;
            for (Report report : reports) {
                seed = Math.max(seed, report.counters().get(bucket));
            }
            seeds.add(seed);
        }
        return seeds;
    }
}
