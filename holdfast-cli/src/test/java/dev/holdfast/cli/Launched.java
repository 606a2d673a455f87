package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.connect.BlockedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A command started by the launcher that users start, with its output in files. */
final class Launched {
    static final Path LAUNCHER = Path.of("target", "app", "bin", "holdfast").toAbsolutePath();
    static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Of the test that this thread runs. Threads that the test starts share it. */
    private static final InheritableThreadLocal<Queue<Launched>> STARTED = new InheritableThreadLocal<>();

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
        // Whoever runs this build may ignore signals (nohup, a job in the background), and would hand that on.
        List<String> all = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,QUIT,TERM,USR1"));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().remove("HOLDFAST_URL");
        builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
        builder.environment().putAll(variables);
        Launched launched = new Launched(builder.start(), out, err);
        STARTED.get().add(launched);
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

    /** Stopped in the middle of a step it would keep the file with the locks locked, and nobody else could get one. */
    void stopBetweenSteps(Path file) {
        await().atMost(PATIENCE).until(() -> {
            signal("STOP");
            await().atMost(PATIENCE)
                    .until(() -> Files.readString(Path.of("/proc/" + pid() + "/stat"))
                            .contains(") T "));
            if (!BlockedFile.is(file)) {
                return true;
            }
            signal("CONT");
            return false;
        });
    }

    /**
     * Until the shell that passes signals on can tell those that were sent to the whole group. It starts after the command,
     * which may be ready before it.
     */
    void untilSignalsArePassedOn() {
        await().atMost(PATIENCE)
                .until(() -> process.descendants().filter(Launched::isGuard).anyMatch(Launched::catchesAlarm));
    }

    private static boolean isGuard(ProcessHandle process) {
        return List.of(process.info().arguments().orElse(new String[0])).contains("guard.sh");
    }

    /** The last of the signals for which it sets a trap. */
    private static boolean catchesAlarm(ProcessHandle process) {
        return catches(process.pid(), 14);
    }

    static boolean catches(long pid, int signal) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("SigCgt:"))
                    .mapToLong(line -> Long.parseUnsignedLong(line.split("\\s+", -1)[1], 16))
                    .anyMatch(caught -> (caught & (1L << (signal - 1))) != 0);
        } catch (IOException | UncheckedIOException ended) {
            return false;
        }
    }

    /** One that has ended and that nobody has waited for has no program any more. */
    static boolean runs(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    static boolean runs(String pid) {
        return ProcessHandle.of(Long.parseLong(pid.strip())).map(Launched::runs).orElse(false);
    }

    /** Until none of them can write into the folder of the test, which is about to be deleted. */
    private void kill() {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .until(() -> all.stream().noneMatch(Launched::runs));
    }

    /** Leaves nothing running behind a test, whatever became of it. */
    static final class Cleanup implements BeforeEachCallback, AfterEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            STARTED.set(new ConcurrentLinkedQueue<>());
        }

        @Override
        public void afterEach(ExtensionContext context) {
            STARTED.get().forEach(Launched::kill);
            STARTED.remove();
        }
    }
}
