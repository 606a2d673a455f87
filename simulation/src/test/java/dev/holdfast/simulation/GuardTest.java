package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GuardTest {
    /** A process stands still in its critical section, for longer than its lease; others write meanwhile. */
    private static final long SEED = 1454;

    @Test
    void withoutTheGuardAPausedHolderOverwritesItsSuccessors() {
        // The same world twice. The paused holder wakes and writes what it had planned: over the work of others.
        assertThat(run(false).failure()).contains("an acknowledged write is lost");
    }

    @Test
    void withTheGuardItsWriteIsRefused() {
        World.Outcome outcome = run(true);
        assertThat(outcome.failure()).isNull();
        assertThat(outcome.refusedWrites()).isPositive();
    }

    private static World.Outcome run(boolean guarded) {
        try (LuaMachine lua = new LuaMachine()) {
            return new World(Plan.of(SEED, guarded), lua, false).run();
        }
    }
}
