package dev.holdfast.tck;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A {@link LockTakingProcess} that was started, and what it printed. */
final class ChildProcess implements AutoCloseable {
    /** A JVM on a busy machine. */
    private static final Duration START = Duration.ofSeconds(60);

    private final Bench bench;
    private final Process process;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private ChildProcess(Bench bench, Process process) {
        this.bench = bench;
        this.process = process;
        bench.environment().blocking().execute(this::read);
    }

    static ChildProcess start(Bench bench, OtherProcess other, Duration lease, List<String> names) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                classPath(other.factory()),
                LockTakingProcess.class.getName(),
                other.factory().getName(),
                other.url(),
                Long.toString(lease.toMillis())));
        command.addAll(names);
        try {
            return new ChildProcess(
                    bench, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it holds this lock, and returns the token. */
    long awaitHolding(String name) {
        String begin = "holding " + name + " ";
        awaitLine(begin);
        return Long.parseLong(lineWith(begin).orElseThrow().substring(begin.length()));
    }

    void awaitAsking(String name) {
        awaitLine("asking " + name);
    }

    private void awaitLine(String begin) {
        bench.await(
                "another process prints '" + begin + "'",
                START,
                () -> lineWith(begin).isPresent());
    }

    /** SIGKILL; returns when the process is no more. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    private Optional<String> lineWith(String begin) {
        if (!process.isAlive()) {
            throw new AssertionError("The other process has ended, it printed " + lines);
        }
        return lines.stream().filter(line -> line.startsWith(begin)).findFirst();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            // Killed in the middle of a line: what came before is here.
            lines.add("(" + e.getMessage() + ")");
        }
    }

    /**
     * Tests may run on the class path or on the module path, and then test classes are patched into a module and on
     * neither: the place of the factory's class file is added by itself.
     */
    private static String classPath(Class<?> factory) {
        Set<String> entries = new LinkedHashSet<>();
        entries.add(rootOf(factory));
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator)));
        }
        entries.remove("");
        return String.join(File.pathSeparator, entries);
    }

    private static String rootOf(Class<?> type) {
        String file = type.getName().replace('.', '/') + ".class";
        String url = Objects.requireNonNull(type.getResource("/" + file)).toString();
        String root = url.substring(0, url.length() - file.length());
        if (root.startsWith("jar:")) {
            root = root.substring("jar:".length(), root.length() - "!/".length());
        }
        return Path.of(URI.create(root)).toString();
    }

    @Override
    public void close() {
        kill();
    }
}
