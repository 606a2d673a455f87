package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DemoTest {
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
                .contains("24,000 increments, the counter says 24,000: none lost")
                .contains("client 3 still waits")
                .contains("Lease of 'job'")
                .contains("isValid() says false")
                .contains("Refused: Token")
                .contains("the account holds [written by client 2]")
                .doesNotContain("BROKEN");
    }
}
