package dev.holdfast.proving.report;

import java.util.List;
import java.util.Locale;

/**
 * What a run was made on.
 *
 * @param kind quick, full or soak
 * @param command repeats it
 * @param loads the load average of the machine after each trial, our own processes included
 * @param others how much of all processors others used during each trial, from 0 to 1; negative where nobody knows
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
        List<Double> others,
        List<String> versions) {
    /** What a machine that nobody uses does by itself. */
    private static final double QUIET = 0.1;

    public Conditions {
        loads = List.copyOf(loads);
        others = List.copyOf(others);
        versions = List.copyOf(versions);
    }

    boolean isSoak() {
        return kind.equals("soak");
    }

    String pageFile() {
        return isSoak() ? "soak.html" : "index.html";
    }

    String jsonFile() {
        return isSoak() ? "soak.json" : "results.json";
    }

    double meanLoad() {
        return loads.stream().mapToDouble(each -> each).average().orElse(0);
    }

    double highestLoad() {
        return loads.stream().mapToDouble(each -> each).max().orElse(0);
    }

    double meanOthers() {
        return others.stream().mapToDouble(each -> each).average().orElse(-1);
    }

    double highestOthers() {
        return others.stream().mapToDouble(each -> each).max().orElse(-1);
    }

    boolean isLoaded() {
        return meanOthers() > QUIET;
    }

    /** A sentence for whoever reads times. */
    public String loadSentence() {
        String load = String.format(
                Locale.ROOT, "Load average on %d cores: mean %.1f, highest %.1f.", cores, meanLoad(), highestLoad());
        if (meanOthers() < 0) {
            return load + " Nobody knows how much of it was ours.";
        }
        return load
                + String.format(
                        Locale.ROOT,
                        " Processes that are not part of the run used %.0f %% of the cores on average, %.0f %% at most.%s",
                        100 * meanOthers(),
                        100 * highestOthers(),
                        isLoaded() ? " This is not a quiet run, and its times say little." : "");
    }
}
