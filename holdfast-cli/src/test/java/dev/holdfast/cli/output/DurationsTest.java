package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "2h,PT2H", "1d,PT24H", "PT1M30S,PT1M30S"})
    void isReadAsPeopleWriteIt(String text, String meaning) {
        // Each unit, and the ISO form.
        assertThat(new Durations().convert(text)).isEqualTo(Duration.parse(meaning));
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "", "-1s", "1.5s", "s", "30 s", "9999999999999999999s", "forever"})
    void isRefusedWhereItCouldBeMisread(String text) {
        // No unit, nothing, fractions, overflow: no guessing.
        assertThatThrownBy(() -> new Durations().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("30s");
    }

    @Test
    void isWrittenInTwoFigures() {
        // One for each magnitude.
        assertThat(Durations.text(Duration.ofMillis(-5))).isEqualTo("0 ms");
        assertThat(Durations.text(Duration.ofMillis(350))).isEqualTo("350 ms");
        assertThat(Durations.text(Duration.ofMillis(4200))).isEqualTo("4.2 s");
        assertThat(Durations.text(Duration.ofSeconds(200))).isEqualTo("3 min 20 s");
        assertThat(Durations.text(Duration.ofMinutes(312))).isEqualTo("5 h 12 min");
        assertThat(Durations.text(Duration.ofHours(76))).isEqualTo("3 d 4 h");
    }
}
