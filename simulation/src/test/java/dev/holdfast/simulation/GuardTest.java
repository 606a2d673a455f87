package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final int SEEDS = 150;

    @Test
    void whatIsLostWithoutTheGuardIsRefusedWithIt() {
        // Holders stand still or work for longer than their lease, and write what they had planned over the work of
        // others.
        // The same worlds with the guard lose nothing.
        List<Long> corrupted = new ArrayList<>();
        int refused = 0;
        try (LuaMachine lua = new LuaMachine()) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                String failure = run(seed, false, lua).failure();
                if (failure != null && failure.contains("an acknowledged write is lost")) {
                    World.Outcome guarded = run(seed, true, lua);
                    assertThat(guarded.failure()).as("seed %s", seed).isNull();
                    corrupted.add(seed);
                    refused += guarded.refusedWrites();
                }
            }
        }
        assertThat(corrupted).as("worlds that lose a write without the guard").isNotEmpty();
        assertThat(refused).as("writes that it refuses there").isPositive();
    }

    private static World.Outcome run(long seed, boolean guarded, LuaMachine lua) {
        return new World(Plan.of(seed, guarded), lua, false).run();
    }
}
