package dev.holdfast.specification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QuorumSpecTest {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final Path CONFIGURATIONS = Path.of("configurations");
    private static final Path LARGER = Path.of("larger");
    private static final Path MUTANTS = Path.of("mutants");

    @ParameterizedTest
    @MethodSource("configurations")
    void theSpecificationHolds(Path configuration) throws Exception {
        // Every behaviour within the bounds of the configuration: no token twice, none out of order, no second holder.
        TlcRun run = TlcRun.of(configuration);
        System.out.println("search: specification, " + run);
        assertThat(run.outcome()).as(run.output()).isEqualTo(TlcRun.HOLDS);
        assertThat(run.left()).as("states not looked at").isZero();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void withoutOneRuleItFails(Mutant mutant) throws Exception {
        // The same configuration, in which the specification holds, and one rule changed.
        TlcRun run = TlcRun.of(mutant.configuration(), mutant);
        System.out.println("search: mutant " + mutant + ", " + run);
        assertThat(run.outcome()).as(run.output()).isEqualTo(mutant.violates());
    }

    @Test
    void everyMutantFailsWhereTheSpecificationIsChecked() throws IOException {
        // A mutant that dies in a configuration of its own might die of the configuration.
        assertThat(mutants()).extracting(Mutant::configuration).isSubsetOf(configurationsIn(CONFIGURATIONS));
    }

    @Test
    void theDocumentTellsOfEveryMutant() throws IOException {
        // The counterexamples are for readers; a mutant without a story, or a story without its mutant, is of no use.
        List<String> told = Pattern.compile("(?m)^\\| `(\\w+)` \\| `(\\w+)` \\|")
                .matcher(Files.readString(Path.of("..", "docs", "specification.md")))
                .results()
                .map(row -> row.group(1) + " violates " + row.group(2))
                .toList();
        assertThat(told)
                .containsExactlyInAnyOrderElementsOf(mutants().stream()
                        .map(mutant -> mutant + " violates " + mutant.violates())
                        .toList());
    }

    static List<Path> configurations() throws IOException {
        List<Path> small = configurationsIn(CONFIGURATIONS);
        return LONG
                ? Stream.concat(small.stream(), configurationsIn(LARGER).stream())
                        .toList()
                : small;
    }

    static List<Mutant> mutants() throws IOException {
        return filesIn(MUTANTS, ".tla").stream().map(Mutant::read).toList();
    }

    private static List<Path> configurationsIn(Path folder) throws IOException {
        return filesIn(folder, ".cfg");
    }

    private static List<Path> filesIn(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }
}
