package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.DisplayText;
import dev.holdfast.cli.output.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is written for programs and for terminals. */
class TextsTest {
    @Test
    void jsonEscapesWhatItMust() {
        // Quotes, a backslash, a line break, an escape sequence, half a surrogate pair, nesting.
        assertThat(Json.of(Map.of("a\"b", List.of("\\", "\n\u001b", "\ud83d", 7L, true, List.of(), Map.of()))))
                .isEqualTo("{\"a\\\"b\":[\"\\\\\",\"\\u000a\\u001b\",\"\\ud83d\",7,true,[],{}]}");
    }

    @Test
    void jsonIsLosslessAndShowsNothingInvisible() {
        // A mark that turns the direction of the text went out as it was, and changed what a reader saw.
        assertThat(Json.of(List.of("a\u202eb\u2028c\ufeffd e\u00a0f ü \ud83d\ude00")))
                .isEqualTo("[\"a\\u202eb\\u2028c\\ufeffd e\\u00a0f ü \\ud83d\\ude00\"]");
    }

    @Test
    void nothingFromElsewhereSteersTheTerminal() {
        // A description that would clear the screen; control characters used to become question marks, the line break
        // and
        // the marks that turn the direction of the text went through.
        assertThat(DisplayText.text("a\u001b[2Jb\u0007\nc\r\t")).isEqualTo("a\\u001b[2Jb\\u0007\\nc\\u000d\\u0009");
        assertThat(DisplayText.text("a\u202eb\u2066c\u200bd\u2028e\u0085f\u009bg\ud800h"))
                .isEqualTo("a\\u202eb\\u2066c\\u200bd\\u2028e\\u0085f\\u009bg\\ud800h");
        assertThat(DisplayText.text("tag \udb40\udc41, blank \u3164, kept: ü 漢 \ud83d\ude00"))
                .isEqualTo("tag \\udb40\\udc41, blank \\u3164, kept: ü 漢 \ud83d\ude00");
        assertThat(DisplayText.text(DisplayText.text("\u202e"))).isEqualTo("\\u202e");
    }

    @Test
    void aCellLooksLikeOneCell() {
        // Spaces in a name that would be taken for the gap between two columns.
        assertThat(DisplayText.cell("a b  other-host ")).isEqualTo("a b\\u0020\\u0020other-host\\u0020");
    }
}
