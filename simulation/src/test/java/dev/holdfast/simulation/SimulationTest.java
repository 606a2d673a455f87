package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SimulationTest {
    static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final long SEEDS = Long.getLong("holdfast.simulation.seeds", LONG ? 200_000 : 20_000);
    private static final long FIRST = Long.getLong("holdfast.simulation.first", 1);

    @Test
    void noBadDayBreaksAPromise() {
        // Many worlds, each with its own processes, clocks, network and faults. A failure names its seed, which replays
        // it.
        Campaign.Result result = new Campaign(FIRST, SEEDS, 2).run();
        System.out.println("search: simulation, " + result);
        assertThat(result.failures()).isEmpty();
        assertThat(result.acquisitions()).isGreaterThanOrEqualTo(50 * result.worlds());
        assertThat(result.faults()).isGreaterThanOrEqualTo(5 * result.worlds());
    }

    @ParameterizedTest
    @MethodSource("regressions")
    void aSeedThatOnceFoundABugFindsItNoMore(Regressions.Regression regression) {
        try (LuaMachine lua = new LuaMachine()) {
            World.Outcome outcome = new World(Plan.of(regression.seed(), true), lua, false).run();
            assertThat(outcome.failure()).as(regression.bug()).isNull();
        }
    }

    static List<Regressions.Regression> regressions() {
        return Regressions.all();
    }
}
