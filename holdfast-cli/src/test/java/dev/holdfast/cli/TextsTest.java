package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
    void nothingFromElsewhereSteersTheTerminal() {
        // A description that would clear the screen.
        assertThat(Console.plain("a\u001b[2Jb\u0007\nc")).isEqualTo("a?[2Jb?\nc");
    }

    @Test
    void passwordsAreNotShown() {
        // Where each kind of URL hides them.
        assertThat(Stores.withoutPassword("redis://user:p@host:1")).isEqualTo("redis://user:***@host:1");
        assertThat(Stores.withoutPassword("redis://:p@host:1")).isEqualTo("redis://:***@host:1");
        assertThat(Stores.withoutPassword("jdbc:postgresql://h/d?user=u&password=p&ssl=true"))
                .isEqualTo("jdbc:postgresql://h/d?user=u&password=***&ssl=true");
        assertThat(Stores.withoutPassword("sqlite:/tmp/x.db")).isEqualTo("sqlite:/tmp/x.db");
    }
}
