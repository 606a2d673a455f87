package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.Signals;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server that is one process with one port, one folder and one disk. */
abstract class ServerProcess implements StoreServers {
    private static final long PATIENCE_SECONDS = 60;

    private final Machine machine;
    private final int port;
    private final Path folder;
    private final SlowDisk disk;
    private @Nullable Process process;

    ServerProcess(Machine machine, DiskLauncher disks, String name, int port) throws IOException {
        this.machine = machine;
        this.port = port;
        this.folder = Files.createDirectories(machine.folder().resolve(name + "-" + port));
        this.disk = disks.disk(name + "-" + port);
    }

    /** The command that starts it. */
    abstract List<String> command(Path data, int itsPort) throws IOException, InterruptedException;

    abstract boolean answers(int itsPort) throws InterruptedException;

    @Override
    public boolean areRunning() {
        return process != null && process.isAlive();
    }

    @Override
    public List<Integer> ports() {
        return List.of(port);
    }

    @Override
    public void start(int server) throws IOException, InterruptedException {
        Path data = Files.createDirectories(folder.resolve("data"));
        ProcessBuilder builder = new ProcessBuilder(disk.command(command(data, port)))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("log").toFile()));
        Process started = machine.start(builder);
        process = started;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers(port)) {
            if (System.nanoTime() - deadline > 0 || !started.isAlive()) {
                throw new IOException("The server does not start: " + lastLines());
            }
            Thread.sleep(20);
        }
    }

    private String lastLines() throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("log"));
        return String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }

    @Override
    public void kill(int server) throws IOException {
        if (process != null) {
            machine.end(process);
            process = null;
        }
    }

    @Override
    public void forget(int server) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The server and all that it has started; empty if it is not running. */
    List<ProcessHandle> family() {
        return process == null
                ? List.of()
                : Stream.concat(Stream.of(process.toHandle()), process.descendants())
                        .toList();
    }

    private Process running() throws IOException {
        if (process == null) {
            throw new IOException("The server is not running");
        }
        return process;
    }

    @Override
    public void freeze(int server) throws IOException, InterruptedException {
        Signals.stop(running());
    }

    @Override
    public void thaw(int server) throws IOException, InterruptedException {
        Signals.resume(running());
    }

    @Override
    public void setDiskDelay(int server, int millis) throws IOException {
        disk.setDelay(millis);
    }

    @Override
    public void close() throws IOException {
        kill(0);
    }
}
