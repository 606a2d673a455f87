package dev.holdfast.tck;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A {@link LockTakingProcess} or {@link PermitTakingProcess} that was started, and what it printed. */
final class ChildProcess implements AutoCloseable {
    private final Bench bench;
    private final Process process;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private ChildProcess(Bench bench, Process process) {
        this.bench = bench;
        this.process = process;
        bench.environment().blocking().execute(this::read);
    }

    static ChildProcess start(Bench bench, Class<?> main, OtherProcess other, Duration lease, List<String> wanted) {
        List<String> arguments =
                new ArrayList<>(List.of(other.factory().getName(), other.url(), Long.toString(lease.toMillis())));
        arguments.addAll(wanted);
        ProcessBuilder builder = OtherJvm.of(main, other.factory(), arguments);
        try {
            return new ChildProcess(bench, builder.redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it holds this, and returns the number printed behind it: a token, or a slot. */
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
                Bench.AS_LONG_AS_IT_TAKES,
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

    @Override
    public void close() {
        kill();
    }
}
