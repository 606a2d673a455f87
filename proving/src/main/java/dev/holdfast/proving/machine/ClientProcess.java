package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client in a JVM of its own. For one thread at a time. */
public final class ClientProcess {
    /** By name: this room must not need the other. */
    private static final String PROGRAM = "dev.holdfast.proving.client.ClientMain";

    private final Machine machine;
    private final Process process;
    private final Path rateFile;
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

    /** Starts it; it says {@code ready} when it has connected. */
    public ClientProcess(Machine machine, String id, Path rateFile, List<String> arguments) throws IOException {
        this.machine = machine;
        this.rateFile = rateFile;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                PROGRAM));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(Redirect.appendTo(
                        machine.folder().resolve("client-" + id + ".err").toFile()));
        if (machine.clock().isUsable()) {
            dev.holdfast.lab.machine.ClockShim.writeRate(rateFile, 1);
            machine.clock().preload(builder, rateFile);
        }
        process = machine.start(builder);
        Thread reader = new Thread(this::read, "proving-client-" + id);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                reports.add(line);
            }
        } catch (IOException ended) {
            // Seen by whoever looks at isAlive().
        }
    }

    /** Gives it an order. A frozen one finds it when it goes on; a dead one never. */
    public void order(String line) {
        try {
            OutputStream out = process.getOutputStream();
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException ended) {
            // Seen by whoever waits for an answer.
        }
    }

    /** The next report that begins like this, what came before is dropped; null if there is none in time. */
    public @Nullable String await(String begin, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            String line = reports.poll(
                    Math.min(100, Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()))),
                    TimeUnit.MILLISECONDS);
            if (line != null && line.startsWith(begin)) {
                return line;
            }
            if (line == null && (System.nanoTime() - deadline >= 0 || !process.isAlive())) {
                return null;
            }
        }
    }

    public void forgetReports() {
        reports.clear();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** How fast its time of day runs; without effect where clocks cannot be changed. */
    public void setClockRate(int rate) throws IOException {
        dev.holdfast.lab.machine.ClockShim.writeRate(rateFile, rate);
    }

    public void freeze() throws IOException, InterruptedException {
        Signals.stop(process);
    }

    public void thaw() throws IOException, InterruptedException {
        Signals.resume(process);
    }

    /** As kill -9 does it; also one that is frozen. */
    public void kill() throws IOException {
        machine.end(process);
    }
}
