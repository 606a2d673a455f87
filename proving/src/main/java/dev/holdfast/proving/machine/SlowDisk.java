package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.ClockShim;
import dev.holdfast.lab.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Lets a server wait longer for its disk: a small library of ours (disk.c) stands between the two. Needs a C compiler. */
final class SlowDisk {
    private final Path delayFile;
    private final Path library;
    private final boolean usable;

    SlowDisk(Machine machine, String name) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(machine.folder().resolve(name + "-disk"));
        delayFile = folder.resolve("delay");
        library = folder.resolve("disk.so");
        setDelay(0);
        // Where clocks can be changed there is a compiler, and servers take libraries of ours.
        usable = machine.clock().isUsable() && compile(folder, library);
    }

    private static boolean compile(Path folder, Path library) throws IOException, InterruptedException {
        Path source = folder.resolve("disk.c");
        try (InputStream packed = SlowDisk.class.getResourceAsStream("disk.c")) {
            Files.copy(Objects.requireNonNull(packed, "disk.c"), source);
        }
        return new ProcessBuilder(List.of("cc", "-O1", "-shared", "-fPIC", "-o", library.toString(), source.toString()))
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.to(folder.resolve("disk.log").toFile()))
                        .start()
                        .waitFor()
                == 0;
    }

    void preload(ProcessBuilder process) {
        if (usable) {
            process.environment().put("LD_PRELOAD", library.toString());
            process.environment().put("HOLDFAST_PROVING_DISK", delayFile.toString());
        }
    }

    /** From now on, for each wait. */
    void setDelay(int millis) throws IOException {
        // Eight bytes in a file, as for a clock.
        ClockShim.writeRate(delayFile, millis);
    }
}
