package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
    @Test
    void aClockThatIsFarOffIsAWarning() {
        // A few milliseconds are usual; two seconds behind are not.
        Finding usual = Diagnosis.offset(12_000);
        assertThat(usual.severity()).isEqualTo(Severity.NOTE);
        assertThat(usual.what()).isEqualTo("The clock of the server is 0.012 s ahead of this machine's.");
        Finding wrong = Diagnosis.offset(-2_000_000);
        assertThat(wrong.severity()).isEqualTo(Severity.WARNING);
        assertThat(wrong.what()).isEqualTo("The clock of the server is 2.000 s behind this machine's.");
        assertThat(wrong.remedy()).isNotEmpty();
    }
}
