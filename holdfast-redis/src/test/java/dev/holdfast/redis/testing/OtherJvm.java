package dev.holdfast.redis.testing;

import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockTakingProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Another process that asks for one lock and keeps it; it can be frozen and killed. */
public final class OtherJvm implements AutoCloseable {
    private final Process process;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    public OtherJvm(Class<? extends ClientFactory> factory, String url, Duration lease, String name) {
        try {
            process = dev.holdfast.tck.OtherJvm.of(
                            LockTakingProcess.class,
                            factory,
                            List.of(factory.getName(), url, Long.toString(lease.toMillis()), name))
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

    @Override
    public void close() {
        kill();
    }
}
