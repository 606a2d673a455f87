package dev.holdfast.simulation;

import java.util.function.Supplier;

/**
 * Plays seeds until one breaks. Answers with a text, because everything of ours may live in a class loader of its own, with
 * a bug planted in it.
 */
public final class Hunt implements Supplier<String> {
    /** A generator that needs more than this to find a planted bug is not good enough. */
    public static final int MOST_SEEDS = 5_000;

    @Override
    public String get() {
        try (LuaMachine lua = new LuaMachine()) {
            for (long seed = 1; seed <= MOST_SEEDS; seed++) {
                String failure =
                        new World(Plan.of(seed, true), lua, false).run().failure();
                if (failure != null) {
                    return "found after " + seed + " seeds: " + failure;
                }
            }
            return "not found in " + MOST_SEEDS + " seeds";
        }
    }
}
