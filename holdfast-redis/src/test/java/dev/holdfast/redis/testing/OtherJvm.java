package dev.holdfast.redis.testing;

import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockTakingProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Another process that asks for one lock and keeps it; it can be frozen and killed. */
public final class OtherJvm implements AutoCloseable {
    private final Process process;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    public OtherJvm(Class<? extends ClientFactory> factory, String url, Duration lease, String name) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-cp",
                            classPath(factory),
                            LockTakingProcess.class.getName(),
                            factory.getName(),
                            url,
                            Long.toString(lease.toMillis()),
                            name)
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread reader = new Thread(this::read);
        reader.setDaemon(true);
        reader.start();
    }

    /** Whether it has the lock, as far as it has told. */
    public boolean isHolding() {
        return lines.stream().anyMatch(line -> line.startsWith("holding "));
    }

    /** Returns when it does nothing any more, until {@link #resume}. */
    public void pause() {
        Freeze.stop(process.pid());
    }

    public void resume() {
        Freeze.resume(process.pid());
    }

    /** SIGKILL; returns when the process is no more. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException killed) {
            lines.add("(" + killed.getMessage() + ")");
        }
    }

    /** Test classes are patched into a module and on neither path, so the place of the factory is added by itself. */
    private static String classPath(Class<?> factory) {
        Set<String> entries = new LinkedHashSet<>();
        String file = factory.getName().replace('.', '/') + ".class";
        String url = Objects.requireNonNull(factory.getResource("/" + file)).toString();
        entries.add(Path.of(URI.create(url.substring(0, url.length() - file.length())))
                .toString());
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator, -1)));
        }
        entries.remove("");
        return String.join(File.pathSeparator, entries);
    }

    @Override
    public void close() {
        kill();
    }
}
