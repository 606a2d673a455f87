package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.ClockShim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The disk of one server. */
final class SlowDisk {
    private final DiskLauncher launcher;
    private final Path delayFile;

    SlowDisk(DiskLauncher launcher, Path delayFile) {
        this.launcher = launcher;
        this.delayFile = delayFile;
    }

    /** The command that starts the server on this disk. The process is the server itself. */
    List<String> command(List<String> server) {
        return launcher.command(delayFile, server);
    }

    /** For each wait that begins from now on; those that have begun keep their time. */
    void setDelay(int millis) throws IOException {
        if (!launcher.isUsable()) {
            throw new IOException("The disk cannot be slowed: " + launcher.whyNot());
        }
        ClockShim.writeRate(delayFile, millis);
    }
}
