package dev.holdfast.proving.report;

import java.util.List;

/**
 * What a run was made on.
 *
 * @param kind quick, full or soak
 * @param command repeats it
 * @param loads the load average of the machine after each trial
 * @param versions of servers and libraries
 */
public record Conditions(
        String kind,
        String date,
        String command,
        long seed,
        long leaseMillis,
        String machine,
        int cores,
        List<Double> loads,
        List<String> versions) {
    public Conditions {
        loads = List.copyOf(loads);
        versions = List.copyOf(versions);
    }

    double meanLoad() {
        return loads.stream().mapToDouble(each -> each).average().orElse(0);
    }

    double highestLoad() {
        return loads.stream().mapToDouble(each -> each).max().orElse(0);
    }

    /** What our own clients and servers cause is about one and a half of two cores. */
    boolean isLoaded() {
        return meanLoad() > 2.0 * cores;
    }

    /** A sentence for whoever reads times. */
    public String loadSentence() {
        return String.format(
                java.util.Locale.ROOT,
                "Load average on %d cores: mean %.1f, highest %.1f.%s",
                cores,
                meanLoad(),
                highestLoad(),
                isLoaded() ? " Others used the machine: this is not a quiet run, and its times say little." : "");
    }
}
