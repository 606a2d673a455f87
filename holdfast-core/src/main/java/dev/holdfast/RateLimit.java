package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.util.concurrent.ConcurrentHashMap;

/** Lets a few of each kind through in ten seconds, and counts those that it leaves out. Safe for use by many threads. */
final class RateLimit {
    private static final long PERIOD_NANOS = 10_000_000_000L;
    private static final int MOST_KINDS = 100;
    /** Shared by all kinds that come after the first hundred. */
    private static final String OTHERS = "";

    /** @param admitted in the period that began then */
    private record Kind(long sinceNanos, int admitted, int leftOut) {}

    private final Environment environment;
    private final int mostPerPeriod;
    // A handful of kinds of ours, and the places that backends name; bounded, should one invent them.
    private final ConcurrentHashMap<String, Kind> kinds = new ConcurrentHashMap<>();

    RateLimit(Environment environment, int mostPerPeriod) {
        this.environment = environment;
        this.mostPerPeriod = mostPerPeriod;
    }

    /** How many of this kind were left out since the last one that was not, or -1 if this one is to be left out too. */
    int admit(String kind) {
        long now = environment.nanoTime();
        int[] leftOut = {-1};
        kinds.compute(known(kind, now), (key, last) -> {
            boolean fresh = last == null || now - last.sinceNanos() >= PERIOD_NANOS;
            int admitted = fresh ? 0 : last.admitted();
            if (admitted == mostPerPeriod) {
                return new Kind(last.sinceNanos(), admitted, last.leftOut() + 1);
            }
            leftOut[0] = last == null ? 0 : last.leftOut();
            return new Kind(fresh ? now : last.sinceNanos(), admitted + 1, 0);
        });
        return leftOut[0];
    }

    /** What is to be said of those left out. */
    static String more(int leftOut) {
        return leftOut == 0 ? "" : " (and " + leftOut + " more of this kind that were left out since the last one)";
    }

    private String known(String kind, long now) {
        if (kinds.size() < MOST_KINDS || kinds.containsKey(kind)) {
            return kind;
        }
        kinds.values().removeIf(each -> each.leftOut() == 0 && now - each.sinceNanos() >= PERIOD_NANOS);
        return kinds.size() < MOST_KINDS ? kind : OTHERS;
    }
}
