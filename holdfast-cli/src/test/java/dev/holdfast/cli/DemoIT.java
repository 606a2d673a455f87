package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The story, on servers of its own. */
class DemoIT {
    @Test
    void tellsTheWholeStory() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            Demo.tell();
        } finally {
            System.setOut(before);
        }
        assertThat(captured.toString(StandardCharsets.UTF_8))
                .contains("2400 increments in ", "the counter says 2400: none lost")
                .contains("later client 2 had it", "busy is true; client 1 asks: isValid() is true")
                // A server that is slow to answer is missing from the count, and not missed.
                .containsPattern("client 2 has it with [34] of 5 votes")
                .contains("Refused: Token", "the account holds [written by client 2]")
                .doesNotContain("BROKEN");
    }
}
