package dev.holdfast.lab.machine;

import dev.holdfast.lab.wire.Message;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A client in a JVM of its own. Orders may be sent by many threads, and while it is frozen: it finds them when it goes on. */
public final class ClientProcess {
    /** By name: this package must not need the other. */
    private static final String PROGRAM = "dev.holdfast.lab.client.ClientMain";

    private final Machine machine;
    private final Process process;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Starts it.
     *
     * @param heard called for each of its reports, on one thread
     */
    public ClientProcess(Machine machine, String name, Consumer<Message> heard) throws IOException {
        this.machine = machine;
        process = machine.start(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // It is small, and starts often enough to matter.
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                        "-cp",
                        classPath(),
                        PROGRAM,
                        name)
                .redirectError(Redirect.appendTo(
                        machine.folder().resolve("client-" + name + ".log").toFile())));
        Thread reader = new Thread(() -> read(heard), "holdfast-lab-client-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Gives it an order.
     *
     * @throws IOException if it has ended
     */
    public void send(Message order) throws IOException {
        byte[] line = (order.toLine() + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            OutputStream out = process.getOutputStream();
            out.write(line);
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    private void read(Consumer<Message> heard) {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                heard.accept(Message.parse(line));
            }
        } catch (IOException ended) {
            // Seen by whoever looks at isAlive().
        }
    }

    /** Returns when it does nothing any more, until {@link #thaw}. */
    public void freeze() throws IOException, InterruptedException {
        Signals.stop(process);
    }

    public void thaw() throws IOException, InterruptedException {
        Signals.resume(process);
    }

    public void kill() throws IOException {
        machine.end(process);
    }

    /** What this JVM was started with; our own classes first, which a test may have in neither path. */
    private static String classPath() throws IOException {
        Set<String> entries = new LinkedHashSet<>();
        try {
            entries.add(Path.of(ClientProcess.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        } catch (URISyntaxException e) {
            throw new IOException("The classes of the lab cannot be found", e);
        }
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator, -1)));
        }
        entries.remove("");
        return String.join(File.pathSeparator, entries);
    }
}
