package dev.holdfast.proving.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
    @TempDir
    Path folder;

    @Test
    void whatIsWrittenIsReadInTheOrderOfTheClock() throws IOException {
        Event first = Event.of(10, Kind.ATTEMPT, "a1", 1, "wait", 6000);
        Event second = Event.of(20, Kind.UNAVAILABLE, "a1", 1, "why", "a text = with blanks\nand lines", "left", null);
        Event runner = Event.ofRunner(15, Kind.FAULT, "name", "cut");
        try (LogWriter client = new LogWriter(folder.resolve("a1.log"));
                LogWriter own = new LogWriter(folder.resolve("runner.log"))) {
            client.write(first);
            client.write(second);
            own.write(runner);
        }

        assertThat(LogReader.readFolder(folder)).containsExactly(first, runner, second);
    }

    // A process that is killed in the middle of a line leaves half of it.
    @Test
    void aLineThatWasCutOffIsLeftOut() throws IOException {
        Path file = folder.resolve("a1.log");
        try (LogWriter client = new LogWriter(file)) {
            client.write(Event.of(10, Kind.ATTEMPT, "a1", 1));
        }
        Files.writeString(file, "20 GRANT a1", StandardOpenOption.APPEND);

        assertThat(LogReader.readFolder(folder)).extracting(Event::kind).containsExactly(Kind.ATTEMPT);
    }
}
