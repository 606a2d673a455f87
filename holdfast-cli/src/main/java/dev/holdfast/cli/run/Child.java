package dev.holdfast.cli.run;

import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The command that runs while we hold the lock, and whatever it has started. A shell beside us is its parent, starts it when
 * told to, and tells how it ended. Used by one thread; another one listens to that shell.
 */
final class Child {
    private final LauncherPipe orders;
    private final long pid;
    private final Optional<ProcessHandle> handle;
    // A process whose parent has ended is not found as a descendant any more, so they are remembered.
    private final Set<ProcessHandle> processes = new LinkedHashSet<>();
    // Written once, by the thread that listens, before it reports the end.
    private volatile @Nullable OptionalInt exitCode;

    private Child(LauncherPipe orders, long pid) {
        this.orders = orders;
        this.pid = pid;
        this.handle = ProcessHandle.of(pid);
    }

    /**
     * Starts the command as we were started, with these variables in addition.
     *
     * @param variables variables to set in its environment; empty: to remove from it
     * @param graceTenths how long it may take to end if we are killed, in tenths of a second
     */
    static Child start(
            LauncherPipe orders,
            Map<String, Optional<String>> variables,
            OnLoss onLoss,
            long graceTenths,
            Consumer<Event> events) {
        CompletableFuture<Optional<Child>> begun = new CompletableFuture<>();
        try {
            for (var each : variables.entrySet()) {
                Optional<String> value = each.getValue();
                orders.send(
                        value.isPresent()
                                ? "set " + each.getKey() + " " + LauncherPipe.escaped(value.get())
                                : "unset " + each.getKey());
            }
            BufferedReader answers =
                    new BufferedReader(new InputStreamReader(orders.answers(), StandardCharsets.US_ASCII));
            // Before the command: where no thread is to be had, nothing runs that nobody would wait for.
            Thread listener =
                    new Thread(() -> begun.join().ifPresent(child -> child.listen(answers, events)), "holdfast-child");
            listener.setDaemon(true);
            listener.start();
            orders.send("start " + onLoss + " " + graceTenths);
            OptionalInt started = number("started ", answers.readLine());
            if (started.isPresent()) {
                Child child = new Child(orders, started.getAsInt());
                begun.complete(Optional.of(child));
                return child;
            }
        } catch (IOException e) {
            // Handled below: in both cases the shell is gone.
        } finally {
            begun.complete(Optional.empty());
        }
        throw new CliException(
                ExitCode.INTERNAL_ERROR,
                "The shell that starts the command has ended; perhaps it was killed. The command was not started.");
    }

    private static OptionalInt number(String word, @Nullable String answer) {
        return answer != null && answer.startsWith(word)
                ? OptionalInt.of(Integer.parseInt(answer.substring(word.length())))
                : OptionalInt.empty();
    }

    private void listen(BufferedReader answers, Consumer<Event> events) {
        OptionalInt ended = OptionalInt.empty();
        try {
            ended = number("ended ", answers.readLine());
        } catch (IOException | NumberFormatException e) {
            // As if nothing had been said.
        }
        if (ended.isEmpty()) {
            // The shell was killed. The command goes on, and so does its lock.
            handle.ifPresent(each -> each.onExit().join());
        }
        exitCode = ended;
        events.accept(new Event.Exited());
    }

    boolean isAlive() {
        return exitCode == null;
    }

    /** Its own, or 128 + the signal that ended it; nothing if nobody could wait for it. Only after its end. */
    OptionalInt exitCode() {
        OptionalInt code = exitCode;
        return code == null ? OptionalInt.empty() : code;
    }

    boolean allHaveEnded() {
        return !isAlive() && processes.stream().noneMatch(Child::works);
    }

    /** A process that has ended but was not waited for counts as alive, but has no program any more. */
    private static boolean works(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    void terminateAll() {
        rememberDescendants();
        processes.forEach(ProcessHandle::destroy);
    }

    void killAll() {
        rememberDescendants();
        processes.forEach(ProcessHandle::destroyForcibly);
    }

    private void rememberDescendants() {
        handle.ifPresent(processes::add);
        for (ProcessHandle known : List.copyOf(processes)) {
            known.descendants().forEach(processes::add);
        }
    }

    /** Signals the child alone, unless the signal has already reached it because it was sent to the whole group. */
    void signal(String name) throws InterruptedException {
        try {
            orders.send("signal " + name);
        } catch (IOException e) {
            signalByOurselves(name);
        }
    }

    /** Tells the watchdog that the lease is about to end: if we are killed now, the child has no time left. */
    void hurry() {
        tell("hurry");
    }

    /** Tells the watchdog that the child has ended: if we are killed now, there is nothing to end. */
    void done() {
        tell("done");
    }

    private void tell(String order) {
        try {
            orders.send(order);
        } catch (IOException e) {
            // The watchdog is gone.
        }
    }

    private void signalByOurselves(String name) throws InterruptedException {
        try {
            // The shell's own kill: a small container may have no other.
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            handle.ifPresent(ProcessHandle::destroy);
        }
    }
}
