package dev.holdfast.cli;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The command that runs while we hold the lock, and whatever it has started. Used by one thread. */
final class Child {
    private final Process process;
    // Orphans belong to init: whoever is to be ended must be remembered from before its parent was.
    private final Set<ProcessHandle> family = new LinkedHashSet<>();

    private Child(Process process) {
        this.process = process;
    }

    /** With our stdin, stdout and stderr, and these variables beside our own. */
    static Child start(List<String> command, Map<String, String> variables, Consumer<Event> events) {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(variables);
        restoreLocale(builder.environment());
        try {
            Process process = builder.start();
            var unused = process.onExit().thenRun(() -> events.accept(new Event.Exited()));
            return new Child(process);
        } catch (IOException e) {
            throw Executables.notStarted(command.get(0), String.valueOf(e.getMessage()));
        }
    }

    /** The launcher may have changed it for us, not for the child. */
    private static void restoreLocale(Map<String, String> environment) {
        String before = System.getProperty("holdfast.lc_all");
        if (before != null && before.isEmpty()) {
            environment.remove("LC_ALL");
        } else if (before != null) {
            environment.put("LC_ALL", before);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its own, or 128 + the signal that ended it. */
    int exitCode() {
        return process.exitValue();
    }

    boolean familyIsGone() {
        return !process.isAlive() && family.stream().noneMatch(Child::works);
    }

    /** One that has ended and that nobody has waited for counts as alive, but has no program any more. */
    private static boolean works(ProcessHandle handle) {
        return handle.isAlive() && handle.info().command().isPresent();
    }

    void terminateFamily() {
        rememberFamily();
        family.forEach(ProcessHandle::destroy);
    }

    void killFamily() {
        rememberFamily();
        family.forEach(ProcessHandle::destroyForcibly);
    }

    private void rememberFamily() {
        family.add(process.toHandle());
        for (ProcessHandle known : List.copyOf(family)) {
            known.descendants().forEach(family::add);
        }
    }

    /** To the child alone, as if it had been started without us. Returns when it is on its way: signals keep their order. */
    void signal(String name) throws InterruptedException {
        if (name.equals("TERM")) {
            process.destroy();
            return;
        }
        try {
            // The shell's own kill: a small container may have no other.
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            process.destroy();
        }
    }
}
