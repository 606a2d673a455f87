package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals pass through to the child; who waits for a lock is ended by them. */
@ExtendWith(Launched.Cleanup.class)
class SignalIT {
    @TempDir
    Path directory;

    /** As from a fresh shell: whoever runs this build may ignore signals (nohup, a job in the background). */
    private Launched run(String... arguments) throws Exception {
        return runWith("--default-signal=HUP,INT,TERM,USR1", arguments);
    }

    private Launched runWith(String signals, String[] arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("env", signals, Launched.LAUNCHER.toString(), "run", "--at", at()));
        command.addAll(List.of(arguments));
        return Launched.start(directory, Map.of(), command);
    }

    private String at() {
        return "sqlite:" + directory.resolve("locks.db");
    }

    private int tryNow() throws Exception {
        return run("--no-wait", "a", "--", "true").exitCode();
    }

    @ParameterizedTest
    @CsvSource({"TERM", "HUP", "INT", "USR1"})
    void theChildHears(String signal) throws Exception {
        // A child that answers this signal by ending with a code of its own.
        Launched run = run(
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap 'echo heard; exit 9' " + signal + "; echo ready; while :; do sleep 0.1; done")
                .untilOut("ready");
        run.signal(signal);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(9);
        assertThat(run.out()).isEqualTo("ready\nheard\n");
        assertThat(tryNow()).isZero();
    }

    @Test
    void whatWasIgnoredStaysIgnored() throws Exception {
        // As under nohup: HUP is ignored by us and by the child. Whatever HUP could do comes before the TERM sent after
        // it.
        String[] arguments = {
            "a", "--", "sh", "-c", "trap 'echo TERM; exit 9' TERM; echo ready; while :; do sleep 0.1; done"
        };
        Launched run = runWith("--ignore-signal=HUP", arguments).untilOut("ready");
        run.signal("HUP");
        run.signal("TERM");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(9);
    }

    @Test
    void aChildThatIgnoresTermKeepsTheLock() throws Exception {
        // TERM to us, a child that ignores it and goes on until a file appears: we stay, and so does the lock.
        Path end = directory.resolve("end");
        Launched run = run(
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap '' TERM; echo ready; while [ ! -e " + end + " ]; do sleep 0.1; done; exit 5")
                .untilOut("ready");
        run.signal("TERM");
        assertThat(tryNow()).isEqualTo(75);
        assertThat(run.isAlive()).isTrue();
        Files.createFile(end);
        assertThat(run.exitCode()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "HUP,129", "INT,130"})
    void whoWaitsWithdraws(String signal, int code) throws Exception {
        // A holder, a waiter that is asked to stop; then the holder ends: nothing of the waiter is left in its way.
        Launched holder =
                run("a", "--", "sh", "-c", "echo holding; exec sleep 600").untilOut("holding");
        Launched waiter = run("a", "--", "echo", "never");
        await().atMost(Launched.PATIENCE).until(() -> handlesSignals(waiter.pid()));
        waiter.signal(signal);
        assertThat(waiter.exitCode()).isEqualTo(code);
        assertThat(waiter.out()).isEmpty();
        holder.signal("TERM");
        assertThat(holder.exitCode()).isEqualTo(143);
        assertThat(tryNow()).isZero();
    }

    /** USR1 is caught by nobody but us: once it is, so are the others. */
    private static boolean handlesSignals(long pid) throws Exception {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("SigCgt:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+", -1)[1], 16) & (1L << 9)) != 0);
    }

    @Test
    void ctrlCOnATerminalReachesTheChildOnce() throws Exception {
        // A real terminal: Ctrl-C is typed, and the terminal signals all processes in front of it. The child counts. A
        // TERM
        // after it comes through us, behind whatever we would have added.
        Path count = directory.resolve("count");
        Path script = Files.writeString(
                directory.resolve("child.sh"),
                "trap 'echo x >> " + count + "' INT\ntrap 'exit 6' TERM\necho ready\nwhile :; do sleep 0.1; done\n");
        Path keys = directory.resolve("keys");
        assertThat(new ProcessBuilder("mkfifo", keys.toString()).start().waitFor())
                .isZero();
        String run = Launched.LAUNCHER + " run --at " + at() + " a -- sh " + script;
        Launched terminal = Launched.start(
                directory,
                Map.of("SHELL", "/bin/bash"),
                List.of(
                        "env",
                        "--default-signal=INT",
                        "sh",
                        "-c",
                        "exec script -q -e -c '" + run + "' /dev/null < " + keys));
        try (OutputStream typed = Files.newOutputStream(keys)) {
            terminal.untilOut("ready");
            typed.write(3);
            typed.flush();
            await().atMost(Launched.PATIENCE).until(() -> Files.exists(count));
            Launched.signal("TERM", Long.toString(terminal.javaPid()));
            assertThat(terminal.exitCode()).as(terminal.out()).isEqualTo(6);
        }
        assertThat(Files.readAllLines(count)).hasSize(1);
    }

    @Test
    void onATerminalWaitingSaysWhoHolds() throws Exception {
        // The holder has a description; the waiter sits at a terminal.
        Launched holder = run("--describe", "the long job", "a", "--", "sh", "-c", "echo holding; exec sleep 600")
                .untilOut("holding");
        Launched terminal = Launched.start(
                directory,
                Map.of("SHELL", "/bin/bash"),
                List.of(
                        "script",
                        "-q",
                        "-e",
                        "-c",
                        Launched.LAUNCHER + " run --at " + at() + " a -- echo mine",
                        "/dev/null"));
        terminal.untilOut("by process " + holder.pid());
        assertThat(terminal.out()).contains("Waiting for 'a'", "the long job");
        holder.signal("TERM");
        assertThat(terminal.exitCode()).isZero();
        assertThat(terminal.out()).contains("mine");
    }

    @Test
    void aParentKilledOutrightLeavesTheLockToItsLeaseAndTheChildToItself() throws Exception {
        // SIGKILL to us. Nobody can act on that: the lock is free when the lease is over, the child goes on without it.
        Path end = directory.resolve("end");
        Path pid = directory.resolve("pid");
        Launched run = run(
                        "--lease",
                        "2s",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "echo $$ > " + pid + "; echo ready; while [ ! -e " + end + " ]; do sleep 0.1; done")
                .untilOut("ready");
        run.signal("KILL");
        assertThat(run.exitCode()).isEqualTo(137);
        assertThat(run("a", "--", "true").exitCode()).isZero();
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
        assertThat(child.isAlive()).isTrue();
        Files.createFile(end);
        await().atMost(Launched.PATIENCE)
                .until(() -> !child.isAlive() || child.info().command().isEmpty());
    }
}
