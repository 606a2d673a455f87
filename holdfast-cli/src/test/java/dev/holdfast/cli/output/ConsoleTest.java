package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConsoleTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private boolean full;

    private final Console console = new Console(
            new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    if (full) {
                        throw new IOException("No space left on device");
                    }
                    out.write(b);
                }
            },
            err,
            "",
            false);

    @Test
    void aRecordThatCannotBeWrittenGoesToStderrWithTheReasonOnce() {
        // The disk with the record was full: what was broken after that was recorded nowhere.
        console.record("first");
        full = true;
        console.record("second");
        console.record("third");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("first\n");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("holdfast: The record cannot be written to stdout: No space left on device. It is"
                        + " continued here.\nsecond\nthird\n");
    }
}
