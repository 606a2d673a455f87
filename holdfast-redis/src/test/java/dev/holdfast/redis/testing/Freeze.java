package dev.holdfast.redis.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Stops a process and lets it go on, as SIGSTOP and SIGCONT do. */
public final class Freeze {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Freeze() {}

    /**
     * Returns when the process does nothing any more. The signal alone is no proof: one thread has to run to take it, and
     * on a busy machine the others run on until then, for long enough to answer a message and to claim a lock.
     */
    public static void stop(long pid) {
        signal("-STOP", pid);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> isStopped(pid));
    }

    public static void resume(long pid) {
        signal("-CONT", pid);
    }

    private static boolean isStopped(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(Freeze::isThreadStopped);
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            // The state follows the name of the thread, which stands in brackets and may hold brackets itself.
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException ended) {
            // It is not listed the next time.
            return false;
        }
    }

    private static void signal(String signal, long pid) {
        try {
            int code = new ProcessBuilder("kill", signal, Long.toString(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill " + signal + " failed: " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
