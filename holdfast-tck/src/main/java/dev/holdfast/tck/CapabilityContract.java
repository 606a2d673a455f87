package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Severity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a backend says about itself. */
interface CapabilityContract {
    @Test
    default void theGuaranteesAreStatedForPeopleAndTheSameForEveryClient(Bench bench) {
        // They are printed in tables and on dashboards.
        Guarantees guarantees = bench.guarantees();
        assertThat(guarantees.exclusion()).isNotBlank().doesNotContain("\n");
        assertThat(guarantees.tokenSource()).isNotBlank().doesNotContain("\n");
        assertThat(guarantees.waking()).isNotNull();
        assertThat(bench.client().backend.settling()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(bench.client().backend.guarantees()).isEqualTo(guarantees);
    }

    @Test
    default void findingsSayWhatIsTheCaseAndWarningsWhatToDo(Bench bench) {
        // A warning without a remedy helps nobody.
        Client client = bench.client();
        List<Finding> findings = client.answerOf(client.backend.diagnose());
        assertThat(findings).allSatisfy(finding -> {
            assertThat(finding.code()).matches("[a-z0-9]+([.-][a-z0-9]+)+");
            assertThat(finding.what()).isNotBlank();
            assertThat(finding.severity()).isNotNull();
            assertThat(finding.remedy()).isNotNull();
            if (finding.severity() != Severity.NOTE) {
                assertThat(finding.remedy()).isNotBlank();
            }
        });
    }
}
