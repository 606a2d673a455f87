package dev.holdfast.lab.machine;

import dev.holdfast.lab.wire.Resp;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server in a process of its own, with a port that it keeps over restarts and a folder in which it writes down
 * every change. For one thread at a time.
 */
public final class RedisServer {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ANSWER_MILLIS = 30_000;
    /** While it starts: then it is asked again. */
    private static final int FIRST_ANSWER_MILLIS = 2000;

    private static final long LOOK_AGAIN_MILLIS = 5;

    private final String name;
    private final int port;
    private final Path folder;
    private final Machine machine;
    private final Path rateFile;
    private @Nullable Process process;

    RedisServer(String name, int port, Path folder, Machine machine) {
        this.name = name;
        this.port = port;
        this.folder = folder;
        this.machine = machine;
        this.rateFile = folder.resolve("clock");
    }

    public int port() {
        return port;
    }

    /** In the list of a quorum, and in the messages of clients. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Blocks until it answers. */
    public void start() throws IOException, InterruptedException {
        setClockRate(1);
        ProcessBuilder program = machine.serverProgram(rateFile);
        program.command()
                .addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
        // Every write is with the system before it is answered, and is kept when the process is killed: what is lost in
        // the lab is lost on purpose. Waiting for the disk would only help if the machine fails, and the lab with it.
        program.command().addAll(List.of("--save", "", "--appendonly", "yes", "--appendfsync", "no"));
        // The lab is told of every key that is set, deleted or expires.
        program.command().addAll(List.of("--notify-keyspace-events", "AK", "--hz", "100"));
        Process started = machine.start(program.redirectErrorStream(true)
                .redirectOutput(Redirect.to(folder.resolve("log").toFile())));
        process = started;
        awaitAnswer(started);
    }

    private void awaitAnswer(Process started) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try (Resp resp = new Resp(port, FIRST_ANSWER_MILLIS)) {
                String info = String.valueOf(resp.call("INFO", "server"));
                if (info.lines().anyMatch(("process_id:" + started.pid())::equals)) {
                    return;
                }
                throw new IOException("another server has taken port " + port);
            } catch (IOException notYet) {
                if (System.nanoTime() - deadline > 0 || !started.isAlive()) {
                    throw new IOException("Server " + name + " did not start: " + notYet.getMessage()
                            + ". Its log ends with: " + lastLine(folder.resolve("log")));
                }
            }
            Thread.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    private static String lastLine(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return lines.isEmpty() ? "(nothing)" : lines.get(lines.size() - 1);
    }

    /** Called once when the process that runs now has ended, whoever ended it. */
    public void onEnd(Runnable action) throws IOException {
        var unused = running().onExit().thenRun(action);
    }

    public boolean isRunning() {
        return process != null;
    }

    /** As kill -9 does it. Does nothing if it is not running. */
    public void kill() throws IOException {
        if (process != null) {
            machine.end(process);
            process = null;
        }
    }

    /** Removes what it wrote down. Only while it is not running. */
    public void forget() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(folder) && !file.equals(rateFile)) {
                    Files.delete(file);
                }
            }
        }
    }

    /** It keeps its connections and answers nothing, until {@link #thaw}. Returns when it stands still. */
    public void freeze() throws IOException, InterruptedException {
        Signals.stop(running());
    }

    public void thaw() throws IOException, InterruptedException {
        Signals.resume(running());
    }

    private Process running() throws IOException {
        if (process == null) {
            throw new IOException("Server " + name + " is not running");
        }
        return process;
    }

    /** How fast its clock runs from now on, 1 being right. Has an effect only where {@link Machine#clock} is usable. */
    public void setClockRate(int rate) throws IOException {
        ClockShim.writeRate(rateFile, rate);
    }

    /** One command over a connection of its own. */
    public @Nullable Object call(String... command) throws IOException {
        try (Resp resp = new Resp(port, ANSWER_MILLIS)) {
            return resp.call(command);
        }
    }
}
