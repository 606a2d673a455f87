package dev.holdfast.proving;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** How busy the machine is. */
final class Load {
    private Load() {}

    /** The load average of the last minute. */
    static String now() {
        return String.format(
                Locale.ROOT,
                "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
