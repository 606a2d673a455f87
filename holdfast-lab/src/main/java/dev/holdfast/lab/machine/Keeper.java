package dev.holdfast.lab.machine;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A shell that ends all processes of the lab and removes its folder, as soon as the lab has ended in any way, {@code kill -9}
 * included. Servers do not notice by themselves, and what is frozen notices nothing. It waits for the end of its standard
 * input, which comes when we are gone. Safe for use by many threads.
 */
public final class Keeper implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    /** Ctrl-C goes to all processes of a terminal, and must not end this one before the others. */
    private static final String PROGRAM = """
            trap '' HUP INT TERM
            all=' '
            while read -r order pid; do
              case $order in
                add) all="$all$pid " ;;
                drop) case $all in *" $pid "*) all="${all%% $pid *} ${all#* $pid }" ;; esac ;;
              esac
            done
            for pid in $all; do
              kill -KILL "$pid" 2> /dev/null
            done
            tries=0
            while rm -rf "$1" 2> /dev/null; [ -e "$1" ] && [ $tries -lt 100 ]; do
              tries=$((tries + 1))
              sleep 0.1
            done
            """;

    private final Process shell;
    private final OutputStream orders;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Starts it.
     *
     * @param folder is removed in the end
     */
    public Keeper(Path folder) throws IOException {
        shell = new ProcessBuilder("sh", "-c", PROGRAM, "holdfast-lab-keeper", folder.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        orders = shell.getOutputStream();
    }

    /** Called at once after the process was started: what is not known here could outlive us. */
    void add(Process process) throws IOException {
        tell("add " + process.pid());
    }

    /** Called when the process has ended: its number may become somebody else's. */
    void drop(Process process) throws IOException {
        tell("drop " + process.pid());
    }

    private void tell(String order) throws IOException {
        lock.lock();
        try {
            orders.write((order + "\n").getBytes(StandardCharsets.US_ASCII));
            orders.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Blocks until everything has ended. */
    @Override
    public void close() throws IOException {
        orders.close();
        try {
            boolean unused = shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // It goes on without us.
            Thread.currentThread().interrupt();
        }
    }
}
