package dev.holdfast.proving;

import java.lang.management.ManagementFactory;

/** How busy the machine is. */
final class Load {
    private Load() {}

    /** The load average of the last minute. */
    static double now() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
