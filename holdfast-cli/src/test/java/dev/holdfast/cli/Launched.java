package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A command started by the launcher that users start, with its output in files. */
final class Launched {
    static final Path LAUNCHER = Path.of("target", "app", "bin", "holdfast").toAbsolutePath();
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Queue<Launched> STARTED = new ConcurrentLinkedQueue<>();

    private final Process process;
    private final Path out;
    private final Path err;

    private Launched(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static Launched holdfast(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(LAUNCHER.toString()));
        command.addAll(List.of(arguments));
        return start(directory, Map.of(), command);
    }

    static Launched start(Path directory, Map<String, String> variables, List<String> command) throws IOException {
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().remove("HOLDFAST_URL");
        builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
        builder.environment().putAll(variables);
        Launched launched = new Launched(builder.start(), out, err);
        STARTED.add(launched);
        return launched;
    }

    int exitCode() throws InterruptedException, IOException {
        return exitCode(PATIENCE);
    }

    int exitCode(Duration patience) throws InterruptedException, IOException {
        assertThat(process.waitFor(patience.toSeconds(), TimeUnit.SECONDS))
                .as("ends. It said: " + out() + err())
                .isTrue();
        return process.exitValue();
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    /** The launcher becomes the JVM: one process id for both. */
    long pid() {
        return process.pid();
    }

    /** Where something else was started that started it. */
    long javaPid() {
        return process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Launched untilOut(String text) {
        await().atMost(PATIENCE).until(() -> out().contains(text) || !process.isAlive());
        try {
            assertThat(out()).as(err()).contains(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return this;
    }

    /** Also after its own end: a process that it has started may have something to say. */
    void untilErr(String text) {
        await().atMost(PATIENCE).until(() -> err().contains(text));
    }

    void signal(String name) throws IOException, InterruptedException {
        signal(name, Long.toString(pid()));
    }

    static void signal(String name, String target) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " -- " + target)
                        .start()
                        .waitFor())
                .isZero();
    }

    private void kill() {
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    /** Leaves nothing running behind a test, whatever became of it. */
    static final class Cleanup implements AfterEachCallback {
        @Override
        public void afterEach(ExtensionContext context) {
            Launched left;
            while ((left = STARTED.poll()) != null) {
                left.kill();
            }
        }
    }
}
