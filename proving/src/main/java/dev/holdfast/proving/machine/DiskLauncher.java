package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.ClockShim;
import dev.holdfast.lab.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts servers whose waits for their disk can be made longer: a small program of ours (slow-disk.c) starts the server and holds its calls
 * of fsync back. This takes a C compiler and a Linux that reports system calls to us; where one of them is missing it says so.
 */
public final class DiskLauncher {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int TRIAL_MILLIS = 200;

    private final Path folder;
    private final @Nullable Path program;
    private final String whyNot;

    private DiskLauncher(Path folder, @Nullable Path program, String whyNot) {
        this.folder = folder;
        this.program = program;
        this.whyNot = whyNot;
    }

    public boolean isUsable() {
        return program != null;
    }

    /** Empty where it is usable. */
    public String whyNot() {
        return whyNot;
    }

    /** Compiles the program, and tries it: whether an fsync takes longer is measured, not assumed. Blocks for about a second. */
    public static DiskLauncher prepare(Machine machine) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(machine.folder(), "disks");
        Path source = folder.resolve("slow-disk.c");
        try (InputStream packed = DiskLauncher.class.getResourceAsStream("slow-disk.c")) {
            Files.copy(Objects.requireNonNull(packed, "slow-disk.c"), source);
        }
        Path program = folder.resolve("slow-disk");
        if (!runs(
                machine, List.of("cc", "-O1", "-o", program.toString(), source.toString()), folder.resolve("cc.log"))) {
            return unusable(
                    folder,
                    "this machine has no C compiler (cc), or it did not compile our launcher, which is for Linux");
        }
        DiskLauncher launcher = new DiskLauncher(folder, program, "");
        String failure = launcher.tryOut(machine);
        return failure.isEmpty() ? launcher : unusable(folder, failure);
    }

    static DiskLauncher unusable(Path folder, String why) {
        return new DiskLauncher(folder, null, why);
    }

    /** Empty if it works. */
    private String tryOut(Machine machine) throws IOException, InterruptedException {
        SlowDisk disk = disk("trial");
        disk.setDelay(TRIAL_MILLIS);
        Path log = folder.resolve("trial.log");
        List<String> write =
                List.of("dd", "if=/dev/zero", "of=" + folder.resolve("trial"), "bs=1", "count=1", "conv=fsync");
        long began = System.nanoTime();
        boolean ran = runs(machine, disk.command(write), log);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        if (!ran) {
            return "the kernel of this machine does not let us hold system calls back ("
                    + Files.readString(log).strip() + ")";
        }
        return millis >= TRIAL_MILLIS ? "" : "an fsync was not held back on this machine";
    }

    private static boolean runs(Machine machine, List<String> command, Path log)
            throws IOException, InterruptedException {
        Process process;
        try {
            process = machine.start(
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.to(log.toFile())));
        } catch (IOException noSuchProgram) {
            return false;
        }
        try {
            return process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
        } finally {
            machine.end(process);
        }
    }

    /** A disk of its own for a server, as fast as it is. */
    SlowDisk disk(String name) throws IOException {
        Path delayFile = folder.resolve(name + ".delay");
        // Eight bytes in a file, as for a clock.
        ClockShim.writeRate(delayFile, 0);
        return new SlowDisk(this, delayFile);
    }

    /** The command as it is where this is not usable. */
    List<String> command(Path delayFile, List<String> command) {
        if (program == null) {
            return command;
        }
        List<String> all = new ArrayList<>(List.of(program.toString(), delayFile.toString()));
        all.addAll(command);
        return List.copyOf(all);
    }
}
