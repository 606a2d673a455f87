package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

    /** In the place of a counter that Holdfast cannot have written: it says nothing about tokens. */
    static final long FOREIGN = -1;

    /** No counter comes so far: doubles skip numbers from here on. */
    private static final long BEYOND_COUNTERS = 1L << 53;

    /**
     * What one node said.
     *
     * @param nonce names the state in which it is watched; null if it votes
     * @param observedMillis for how long it has certainly been in that state
     * @param version of the list it belongs to; zero if it was bound to that list by clients that had nothing but their own
     *     word for it
     * @param counters by bucket
     * @param foreign what stands in the place of a counter and is none, for people; empty if there is nothing of that kind
     */
    record Report(
            int node,
            @Nullable String nonce,
            long observedMillis,
            long maxLeaseMillis,
            long timeMicros,
            long version,
            List<Long> counters,
            String foreign) {
        boolean isAdmitted() {
            return nonce == null;
        }

        /** Null for a node that neither votes nor is watched under our list: it has not answered, for this purpose. */
        static @Nullable Report parse(Member member, String[] keys, QuorumReplies.Ledger ledger) {
            AdmissionRecord record = AdmissionRecord.parse(ledger.record());
            if (record == null || !(ledger.admitted() || member.isWatched(record))) {
                return null;
            }
            List<Long> counters = new ArrayList<>();
            String foreign = "";
            for (Object value : ledger.counters()) {
                long counter = counter(value);
                counters.add(counter);
                if (counter == FOREIGN && foreign.isEmpty()) {
                    foreign = "Redis at " + member.address() + " has '" + value + "' in " + keys[counters.size()];
                }
            }
            return new Report(
                    member.index,
                    record.nonce(),
                    record.observedMillis(),
                    record.maxLeaseMillis(),
                    ledger.nowMicros(),
                    record.version(),
                    counters,
                    foreign);
        }

        private static long counter(@Nullable Object value) {
            if (value == null) {
                return 0;
            }
            try {
                long counter = Long.parseLong(value.toString());
                return counter >= 0 && counter < BEYOND_COUNTERS ? counter : FOREIGN;
            } catch (NumberFormatException notOurs) {
                return FOREIGN;
            }
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
         * @param version of the list
         * @param seeds the least that their counters may be, by bucket
         * @param byClocks too few nodes remember, so the order of tokens over this event rests on clocks
         */
        record Admit(List<Report> nodes, long version, List<Long> seeds, boolean byClocks) implements Decision {}
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
            // A watch that began before this list stood at a majority began too early.
            List<Report> bound = ripe.stream()
                    .filter(each -> each.version() >= version(admitted))
                    .toList();
            if (bound.isEmpty()) {
                return new Decision.Wait("it is being watched");
            }
            return readable(admitted) >= others
                    ? new Decision.Admit(bound, version(reports), largest(admitted, 0), false)
                    : new Decision.Wait(poisoned(others, admitted));
        }
        if (nodes - lost.size() >= others) {
            return new Decision.Wait(
                    "it needs the memory of " + others + " others, and " + admitted.size() + " answer");
        }
        // Even if all that are silent came back with their memory, they would be too few.
        long remember = reports.stream().filter(each -> each.version() > 0).count();
        if (reports.size() < nodes && remember < Ballot.majorityOf(nodes)) {
            // Any of those that are silent may belong to another list, with a majority of its own.
            return new Decision.Wait("too few servers remember which list they belong to. So all " + nodes
                    + " have to answer, and " + reports.size() + " do. Bring the others back, empty if need be");
        }
        if (ripe.size() < lost.size()) {
            return new Decision.Wait("others that have forgotten too are still being watched");
        }
        long latest = reports.stream().mapToLong(Report::timeMicros).max().orElse(0);
        return new Decision.Admit(ripe, version(reports), largest(reports, latest + AHEAD_MICROS), true);
    }

    private static long version(List<Report> reports) {
        return reports.stream().mapToLong(Report::version).reduce(1, Math::max);
    }

    /** How many nodes have a counter for every bucket, in the bucket where they are fewest. */
    private static int readable(List<Report> reports) {
        int fewest = reports.size();
        for (int bucket = 0; bucket < Keys.BUCKETS; bucket++) {
            int count = 0;
            for (Report report : reports) {
                count += report.counters().get(bucket) == FOREIGN ? 0 : 1;
            }
            fewest = Math.min(fewest, count);
        }
        return fewest;
    }

    private static String poisoned(int others, List<Report> admitted) {
        return "it needs the counters of " + others + " others, and these are not readable: "
                + admitted.stream()
                        .map(Report::foreign)
                        .filter(each -> !each.isEmpty())
                        .collect(Collectors.joining("; "))
                + ". Holdfast did not write that. Set it to the largest value that this key has on the other servers";
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
