package dev.holdfast.lab.machine;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Stops processes and lets them go on, as SIGSTOP and SIGCONT do. */
public final class Signals {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final long LOOK_AGAIN_MILLIS = 5;

    private Signals() {}

    /**
     * Returns when the process does nothing any more. The signal alone is no proof: one thread has to run to take it, and on a
     * busy machine the others run on until then.
     */
    public static void stop(Process process) throws IOException, InterruptedException {
        send("-STOP", process);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isStopped(process.pid())) {
            if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
                throw new IOException("Process " + process.pid() + " could not be frozen");
            }
            Thread.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    public static void resume(Process process) throws IOException, InterruptedException {
        send("-CONT", process);
    }

    private static void send(String signal, Process process) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("Process " + process.pid() + " could not be signalled (" + signal + ")");
        }
    }

    private static boolean isStopped(long pid) throws IOException, InterruptedException {
        Path tasks = Path.of("/proc", Long.toString(pid), "task");
        if (!Files.exists(tasks)) {
            return isStoppedAsPsSays(pid);
        }
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(Signals::isThreadStopped);
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

    /** Where there is no /proc. */
    private static boolean isStoppedAsPsSays(long pid) throws IOException, InterruptedException {
        Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(pid)).start();
        String state = new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        int unused = ps.waitFor();
        return state.strip().startsWith("T");
    }
}
