package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SimulationTest {
    static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final long SEEDS = Long.getLong("holdfast.simulation.seeds", LONG ? 200_000 : 10_000);
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

    @Test
    void aWorldHasNoThreadsOfItsOwn() {
        // Each of its processes used to start one that never ended: after some 5 000 worlds no thread could be started.
        assertThat(new Campaign(1, 20, 1).run().failures()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("holdfast-"));
    }
}
