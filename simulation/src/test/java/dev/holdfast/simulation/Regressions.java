package dev.holdfast.simulation;

import java.util.List;

/**
 * What the simulation has found. A seed means what the generator makes of it: whoever changes the generator looks for
 * another seed, with the bug planted again ({@link Mutants}).
 */
final class Regressions {
    record Regression(long seed, String bug) {}

    private Regressions() {}

    static List<Regression> all() {
        return List.of(new Regression(
                37,
                "Renewals that failed at once were repeated after a fraction of the validity left: without a pause."));
    }
}
