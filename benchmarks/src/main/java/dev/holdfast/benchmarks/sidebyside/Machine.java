package dev.holdfast.benchmarks.sidebyside;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.Stream;

/** What the figures were taken on. */
final class Machine {
    private Machine() {}

    static String describe(boolean quick) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return String.format(
                Locale.ROOT,
                "%s, %s run: %d cores (%s), %d GB, %s %s, Java %s, load average at the end %.1f.",
                LocalDate.now(ZoneOffset.UTC),
                quick ? "quick" : "full",
                system.getAvailableProcessors(),
                processor(),
                system.getTotalMemorySize() >> 30,
                system.getName(),
                system.getArch(),
                System.getProperty("java.version"),
                system.getSystemLoadAverage());
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unnamed");
        } catch (IOException e) {
            return "unnamed";
        }
    }
}
