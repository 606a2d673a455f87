package dev.holdfast.proving;

import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subject;
import dev.holdfast.proving.subject.Subjects;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param rounds how often each fault is played at most
 * @param allRounds whether it is played so often also if fewer rounds have decided what most of them show
 * @param lanes how many stores are played side by side
 * @param soak for how long faults are played again and again; null for a run that ends
 * @param folder of logs: a run that was interrupted goes on where it was
 * @param report where the page is written
 */
record Options(
        List<Subject> subjects,
        List<Fault> faults,
        int rounds,
        boolean allRounds,
        int lanes,
        @Nullable Duration soak,
        long seed,
        Duration lease,
        Path folder,
        Path report) {
    static final Duration LEASE = Duration.ofSeconds(3);
    private static final long SEED = 20261117;
    private static final int ROUNDS = 3;
    /** One round of what says most. */
    private static final Set<String> QUICK =
            Set.of("none", "client-stop", "cut-holder", "server-kill-empty", "server-stop", "minority-stop");

    static final String USAGE = """
            ./prove [--quick | --soak 1h] [--seed N] [--rounds N] [--lanes N] [--report FOLDER] [NAME...]
              Each fault is played with the same seed twice, and a third time where the two differ; --rounds N plays it N times.
              --lanes N plays N stores side by side; unless set, one for each processor.
              NAME is a subject, a store or a fault: only those are played. Without names, all.
              The same command goes on with a run that was interrupted; remove target/proving to begin anew.
            """;

    static Options parse(List<String> arguments) {
        Parsing parsing = new Parsing();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "--help", "-h" -> throw new IllegalArgumentException(USAGE);
                case "--quick" -> parsing.quick = true;
                case "--soak" -> parsing.soak = time(arguments, ++i);
                case "--seed" -> parsing.seed = seed(arguments, ++i);
                case "--rounds" -> parsing.rounds = number(arguments, ++i);
                case "--lanes" -> parsing.lanes = number(arguments, ++i);
                case "--report" -> parsing.report = Path.of(value(arguments, ++i));
                default -> parsing.names.add(argument);
            }
        }
        return parsing.options();
    }

    private static Duration time(List<String> arguments, int index) {
        String value = value(arguments, index);
        Duration time;
        try {
            time = Duration.parse("PT" + value.toUpperCase(Locale.ROOT));
        } catch (DateTimeParseException e) {
            time = Duration.ZERO;
        }
        if (time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException("'" + value + "' is no time like 1h or 10m.\n" + USAGE);
        }
        return time;
    }

    private static int number(List<String> arguments, int index) {
        String value = value(arguments, index);
        if (!value.matches("[1-9]\\d{0,5}")) {
            throw new IllegalArgumentException("'" + value + "' is no number from 1 to 999999.\n" + USAGE);
        }
        return Integer.parseInt(value);
    }

    private static long seed(List<String> arguments, int index) {
        String value = value(arguments, index);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + value + "' is no seed: a whole number.\n" + USAGE, e);
        }
    }

    private static String value(List<String> arguments, int index) {
        if (index >= arguments.size()) {
            throw new IllegalArgumentException(arguments.get(index - 1) + " needs a value.\n" + USAGE);
        }
        return arguments.get(index);
    }

    private static final class Parsing {
        private final List<String> names = new ArrayList<>();
        private boolean quick;
        private @Nullable Duration soak;
        private long seed = SEED;
        private int rounds;
        private int lanes = Runtime.getRuntime().availableProcessors();
        private @Nullable Path report;

        private Options options() {
            List<Subject> subjects = subjects();
            List<Fault> faults = faults();
            if (subjects.stream().noneMatch(subject -> faults.stream().anyMatch(each -> each.isFor(subject.store())))) {
                throw new IllegalArgumentException(
                        "None of these faults can happen to the store of any of these subjects.\n" + USAGE);
            }
            String kind = soak != null ? "soak" : quick ? "quick" : "full";
            Path folder = Path.of(
                    "target", "proving", kind + "-" + seed + (names.isEmpty() ? "" : "-" + String.join("-", names)));
            int times = rounds > 0 ? rounds : soak != null || quick ? 1 : ROUNDS;
            Path page = report != null ? report : folder.resolve("report");
            return new Options(subjects, faults, times, rounds > 0, lanes, soak, seed, LEASE, folder, page);
        }

        private List<Subject> subjects() {
            Set<String> stores = Set.copyOf(
                    names.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList());
            List<Subject> named = Stream.concat(
                            Subjects.all().stream(),
                            names.contains("broken") ? Stream.of(Subjects.named("broken")) : Stream.empty())
                    .filter(each -> names.contains(each.id())
                            || (stores.contains(each.store().name()) && isPlayedUnnamed(each)))
                    .toList();
            return named.isEmpty()
                    ? Subjects.all().stream().filter(this::isPlayedUnnamed).toList()
                    : named;
        }

        /** A soak is for ours: others take part only if they are named. */
        private boolean isPlayedUnnamed(Subject subject) {
            return soak == null || subject.id().startsWith("holdfast");
        }

        private List<Fault> faults() {
            List<Fault> named = Faults.all().stream()
                    .filter(each -> names.contains(each.name()))
                    .toList();
            for (String name : names) {
                boolean known = Faults.all().stream()
                                .anyMatch(each -> each.name().equals(name))
                        || name.equals("broken")
                        || Subjects.all().stream().anyMatch(each -> each.id().equals(name))
                        || Stream.of(Store.values())
                                .anyMatch(each -> each.name().equalsIgnoreCase(name));
                if (!known) {
                    throw new IllegalArgumentException("There is no subject, store or fault '" + name + "'.\n" + USAGE
                            + "  subjects: "
                            + String.join(
                                    ", ",
                                    Subjects.all().stream().map(Subject::id).toList())
                            + "\n  faults: "
                            + String.join(
                                    ", ", Faults.all().stream().map(Fault::name).toList()));
                }
            }
            if (!named.isEmpty()) {
                return named;
            }
            return Faults.all().stream()
                    .filter(each -> !quick || QUICK.contains(each.name()))
                    .toList();
        }
    }

    /** What repeats the run; where the page goes is not part of it. */
    static String command(List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("./prove"));
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).equals("--report")) {
                i++;
            } else {
                words.add(arguments.get(i));
            }
        }
        return String.join(" ", words);
    }

    String kind() {
        return soak != null ? "soak" : folder.getFileName().toString().startsWith("quick") ? "quick" : "full";
    }

    List<Store> stores() {
        return subjects.stream().map(Subject::store).distinct().toList();
    }
}
