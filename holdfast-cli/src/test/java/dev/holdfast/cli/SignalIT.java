package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
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
    static boolean handlesSignals(long pid) {
        return Launched.catches(pid, 10);
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
            terminal.untilOut("ready").untilSignalsArePassedOn();
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
        Pattern whole = Pattern.compile("by process " + holder.pid() + "[^\r]*\u001b\\[\\?7h");
        await().atMost(Launched.PATIENCE)
                .until(() -> whole.matcher(terminal.out()).find());
        // A line wider than the terminal used to begin a second one, once a second: only the last could be overwritten.
        assertThat(terminal.out()).contains("\u001b[?7lWaiting for 'a'", "the long job", "\u001b[?7h");
        holder.signal("TERM");
        assertThat(terminal.exitCode()).isZero();
        assertThat(terminal.out()).contains("mine");
    }

    @Test
    void aSignalToTheWholeGroupReachesTheChildOnce() throws Exception {
        // timeout(1) signals us and then the group that we are in together with the child. The child counts: it used to
        // be
        // told twice, once by the group and once by us. USR1 to us alone comes through us, behind whatever we had
        // added.
        Path count = directory.resolve("count");
        Path script = Files.writeString(
                directory.resolve("child.sh"),
                "trap 'echo x >> " + count + "' TERM\ntrap 'exit 6' USR1\necho ready\nwhile :; do sleep 0.1; done\n");
        Launched timed = Launched.start(
                directory,
                Map.of(),
                List.of(
                        "env",
                        "--default-signal=TERM,USR1",
                        "timeout",
                        "--preserve-status",
                        "1h",
                        Launched.LAUNCHER.toString(),
                        "run",
                        "--at",
                        at(),
                        "a",
                        "--",
                        "sh",
                        script.toString()));
        timed.untilOut("ready").untilSignalsArePassedOn();
        // What timeout(1) is told it passes on as it does when the time is up.
        Launched.signal("TERM", Long.toString(timed.pid()));
        await().atMost(Launched.PATIENCE).until(() -> Files.exists(count));
        Launched.signal("USR1", Long.toString(timed.javaPid()));
        assertThat(timed.exitCode()).as(timed.err()).isEqualTo(6);
        assertThat(Files.readAllLines(count)).hasSize(1);
    }

    @Test
    void whoIsAskedToStopEndsAtOnceAndTheStoreKeepsTheMinimum() throws Exception {
        // TERM ended the child, and we stayed for the minimum of an hour: until somebody sent KILL, which left the lock
        // to its lease.
        Launched run = run("--min-hold", "1h", "a", "--", "sh", "-c", "echo ready; exec sleep 600")
                .untilOut("ready");
        run.signal("TERM");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(143);
        assertThat(run.err()).contains("Lock 'a' stays taken for another 59 min", "--min-hold", "holdfast break");
        assertThat(tryNow()).isEqualTo(75);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // Waits for a lease to end.
    void aChildDoesNotOutliveUs() throws Exception {
        // SIGKILL to us. The child used to go on, unaware, while the next one got the lock. It is asked to end, with
        // its
        // family, while the lease still runs.
        Path pids = directory.resolve("pids");
        Launched run = run(
                        "--lease",
                        // A sixth of it is what the child has to hear of it.
                        "24s",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap 'echo asked' TERM; sh -c 'trap \"\" TERM; echo $$ >> " + pids
                                + "; echo ready; while :; do sleep 0.1; done' & echo $$ >> " + pids
                                + "; while :; do sleep 0.1; done")
                .untilOut("ready");
        await().atMost(Launched.PATIENCE).until(() -> Files.readAllLines(pids).size() == 2);
        run.signal("KILL");
        assertThat(run.exitCode()).isEqualTo(137);
        await().atMost(Launched.PATIENCE)
                .until(() -> Files.readAllLines(pids).stream().noneMatch(Launched::runs));
        assertThat(run.out()).contains("asked");
        assertThat(run.err()).contains("The process that held lock 'a' was killed: ending the command.");
        assertThat(run("a", "--", "true").exitCode()).isZero();
    }

    @Test
    void aLockOutlivesTheShellThatWaitsForItsChild() throws Exception {
        // SIGKILL to the child's parent: we are not told any more how the child ends, but it ends under the lock.
        Path end = directory.resolve("end");
        Launched run = run("a", "--", "sh", "-c", "echo $PPID; while [ ! -e " + end + " ]; do sleep 0.1; done")
                .untilOut("\n");
        Launched.signal("KILL", run.out().strip());
        assertThat(tryNow()).isEqualTo(75);
        Files.createFile(end);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(70);
        assertThat(run.err()).contains("its exit code is not known");
        assertThat(tryNow()).isZero();
    }
}
