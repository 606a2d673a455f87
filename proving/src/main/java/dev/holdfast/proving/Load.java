package dev.holdfast.proving;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How busy the machine was during a trial.
 *
 * @param average the load average of the last minute, our own processes included
 * @param others how much of all processors was used by processes that are not ours, from 0 to 1; -1 where the system does not say
 */
record Load(double average, double others) {
    private static final double TICKS_PER_SECOND = 100;

    /** At one moment: ticks of all processes, ticks of each of ours, nanoseconds. */
    private record Use(long all, Map<Long, Long> ours, long nanos) {
        /** Of those that run now. What one used that has ended counts as somebody else's: it is little. */
        long oursSince(Use before) {
            return ours.entrySet().stream()
                    .mapToLong(each -> each.getValue() - before.ours.getOrDefault(each.getKey(), 0L))
                    .sum();
        }
    }

    /** Begins to measure. */
    static final class Meter {
        private final Use before = use();

        Load measured() {
            Use now = use();
            double average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
            if (now.all < 0 || before.all < 0) {
                return new Load(average, -1);
            }
            double possible = (now.nanos - before.nanos)
                    / 1e9
                    * TICKS_PER_SECOND
                    * Runtime.getRuntime().availableProcessors();
            return new Load(average, Math.max(0, (now.all - before.all - now.oursSince(before)) / possible));
        }
    }

    private static Use use() {
        try {
            List<String> first = List.of(
                    Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split(" +"));
            // user, nice, system; then irq and softirq after idle and iowait.
            long all = Stream.of(1, 2, 3, 6, 7)
                    .mapToLong(i -> Long.parseLong(first.get(i)))
                    .sum();
            ProcessHandle self = ProcessHandle.current();
            Map<Long, Long> ours = Stream.concat(Stream.of(self), self.descendants())
                    .collect(Collectors.toMap(ProcessHandle::pid, each -> ticks(each.pid()), Math::max));
            return new Use(all, ours, System.nanoTime());
        } catch (IOException elsewhere) {
            return new Use(-1, Map.of(), System.nanoTime());
        }
    }

    private static long ticks(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The name of the process stands in brackets and may hold anything; utime and stime are the 12th and 13th
            // field after it.
            List<String> fields =
                    List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
            return Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12));
        } catch (IOException ended) {
            return 0;
        }
    }

    String toLine() {
        return average + " " + others;
    }

    static Load parse(String line) {
        List<String> words = List.of(line.strip().split(" ", -1));
        return new Load(Double.parseDouble(words.get(0)), Double.parseDouble(words.get(1)));
    }
}
