package dev.holdfast.proving.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Reads the logs of a folder. */
public final class LogReader {
    public static final String ENDING = ".log";

    private LogReader() {}

    /** All events of all files, in the order of the clock. The last line of a killed process may be cut off: it is left out. */
    public static List<Event> readFolder(Path folder) throws IOException {
        List<Event> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(ENDING))
                    .sorted()
                    .toList()) {
                all.addAll(parse(Files.readString(file, StandardCharsets.UTF_8)));
            }
        }
        return sorted(all);
    }

    static List<Event> parse(String text) {
        int end = text.lastIndexOf('\n');
        return end < 0
                ? List.of()
                : text.substring(0, end)
                        .lines()
                        .filter(line -> !line.isEmpty())
                        .map(Event::parse)
                        .toList();
    }

    /** Lines of one process at the same nanosecond keep their order. */
    public static List<Event> sorted(List<Event> events) {
        return events.stream().sorted(Comparator.comparingLong(Event::nanos)).toList();
    }
}
