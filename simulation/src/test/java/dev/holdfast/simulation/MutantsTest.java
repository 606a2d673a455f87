package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MutantsTest {
    @ParameterizedTest
    @MethodSource("mutants")
    void theSimulationFindsAPlantedBug(Mutant mutant) {
        // The same generator over production code with one bug: a simulation that finds nothing there proves nothing
        // here.
        String outcome = mutant.hunt();
        System.out.println("search: simulation, " + mutant + ": "
                + outcome.lines().findFirst().orElseThrow());
        assertThat(outcome).startsWith("found");
    }

    @Test
    void everyBugCanBePlanted() {
        // Also those that are hunted only in a long search: whoever renames something in the product learns of it
        // at once.
        assertThat(Mutants.slow()).allSatisfy(Mutant::plant);
    }

    static List<Mutant> mutants() {
        List<Mutant> mutants = new ArrayList<>(Mutants.quick());
        if (SimulationTest.LONG) {
            mutants.addAll(Mutants.slow());
        }
        return mutants;
    }
}
