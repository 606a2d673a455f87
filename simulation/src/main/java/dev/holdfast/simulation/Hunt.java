package dev.holdfast.simulation;

import java.util.function.LongFunction;

/**
 * Plays seeds until one breaks. Answers with a text, because everything of ours may live in a class loader of its own, with
 * a bug planted in it.
 */
public final class Hunt implements LongFunction<String> {
    /** A generator that needs more than this to find a planted bug is not good enough. */
    public static final int MOST_WORLDS = 5_000;

    /** @param every plays only the seeds that are multiples of this: those of a kind of world */
    @Override
    public String apply(long every) {
        try (LuaMachine lua = new LuaMachine()) {
            for (long world = 1; world <= MOST_WORLDS; world++) {
                String failure = new World(Plan.of(world * every, true), lua, false)
                        .run()
                        .failure();
                if (failure != null) {
                    return "found after " + world + " worlds: " + failure;
                }
            }
            return "not found in " + MOST_WORLDS + " worlds";
        }
    }
}
