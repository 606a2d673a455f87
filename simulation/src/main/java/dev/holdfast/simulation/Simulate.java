package dev.holdfast.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Plays one seed and tells what happened, or many and tells only what went wrong. */
public final class Simulate {
    private static final String USAGE = """
            simulate --seed N [--no-guard] [--brief] [--svg FILE]   plays one seed and tells what happened
            simulate --seeds FIRST COUNT [--every N] [--threads N]  plays many and tells what went wrong
            simulate --hash FIRST COUNT                             their traces as one number
            """;

    private final List<String> given;

    private Simulate(String... arguments) {
        given = List.of(arguments);
    }

    /** As {@code USAGE} says; ends with 1 if something is broken, with 2 if it does not understand. */
    public static void main(String[] arguments) throws IOException {
        System.exit(new Simulate(arguments).run());
    }

    private int run() throws IOException {
        if (after("--seeds", 2) != null) {
            int threads = after("--threads", 1) == null ? 2 : (int) number("--threads", 1);
            int every = after("--every", 1) == null ? 1 : (int) number("--every", 1);
            long first = number("--seeds", 1);
            long count = number("--seeds", 2);
            Campaign.Result result = new Campaign(first, count, every, threads).run();
            System.out.println(result);
            return result.failures().isEmpty() ? 0 : 1;
        }
        if (after("--hash", 2) != null) {
            System.out.println(Long.toHexString(Campaign.hash(number("--hash", 1), number("--hash", 2))));
            return 0;
        }
        if (after("--seed", 1) == null) {
            System.err.print(USAGE);
            return 2;
        }
        return one(Plan.of(number("--seed", 1), !given.contains("--no-guard")));
    }

    private int one(Plan plan) throws IOException {
        try (LuaMachine lua = new LuaMachine()) {
            World world = new World(plan, lua, true);
            World.Outcome outcome = world.run();
            if (!given.contains("--brief")) {
                world.trace.lines().forEach(System.out::println);
            }
            System.out.println("Seed " + plan.seed() + ": " + plan);
            System.out.printf(
                    Locale.ROOT,
                    "%d acquisitions, %d faults, %d scripts, %d writes, %d refused, %.0f s simulated; trace %016x%n",
                    outcome.acquisitions(),
                    outcome.faults(),
                    outcome.scripts(),
                    outcome.writes(),
                    outcome.refusedWrites(),
                    outcome.nanos() / 1e9,
                    outcome.hash());
            System.out.println(outcome.failure() == null ? "Nothing went wrong." : "BROKEN: " + outcome.failure());
            String picture = after("--svg", 1);
            if (picture != null) {
                Files.writeString(Path.of(picture), new Drawing(plan, world.trace.lines()).svg());
            }
            return outcome.failure() == null ? 0 : 1;
        }
    }

    private @Nullable String after(String option, int offset) {
        int at = given.indexOf(option);
        return at < 0 || at + offset >= given.size() ? null : given.get(at + offset);
    }

    private long number(String option, int offset) {
        return Long.parseLong(String.valueOf(after(option, offset)));
    }
}
