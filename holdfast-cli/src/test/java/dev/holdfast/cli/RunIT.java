package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast run}: the child's surroundings, and every exit code. */
@ExtendWith(Launched.Cleanup.class)
class RunIT {
    @TempDir
    Path directory;

    private String at;

    @BeforeEach
    void place() {
        at = "sqlite:" + directory.resolve("locks.db");
    }

    private Launched run(String... arguments) throws Exception {
        String[] all = new String[arguments.length + 3];
        all[0] = "run";
        all[1] = "--at";
        all[2] = at;
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return Launched.holdfast(directory, all);
    }

    @Test
    void theExitCodeIsTheChildsOwn() throws Exception {
        // Children that end well, badly, and by a signal.
        Launched well = run("a", "--", "echo", "hi there");
        assertThat(well.exitCode()).as(well.err()).isZero();
        assertThat(well.out()).isEqualTo("hi there\n");
        assertThat(well.err()).isEmpty();
        assertThat(run("a", "--", "sh", "-c", "exit 7").exitCode()).isEqualTo(7);
        assertThat(run("a", "--", "sh", "-c", "kill -KILL $$").exitCode()).isEqualTo(137);
    }

    @Test
    void theChildKnowsWhatItHolds() throws Exception {
        // Two runs, one after the other: the second has the larger token, and a deadline that lies one lease ahead.
        String print = "echo $HOLDFAST_NAME $HOLDFAST_TOKEN $HOLDFAST_DEADLINE";
        Launched first = run("some name", "--", "sh", "-c", print);
        assertThat(first.exitCode()).isZero();
        Launched second = run("--lease", "20s", "some name", "--", "sh", "-c", print);
        assertThat(second.exitCode()).isZero();
        String[] before = first.out().strip().split(" ", -1);
        String[] after = second.out().strip().split(" ", -1);
        assertThat(before[0] + " " + before[1]).isEqualTo("some name");
        assertThat(Long.parseLong(after[2])).isGreaterThan(Long.parseLong(before[2]));
        assertThat(Instant.ofEpochMilli(Long.parseLong(after[3])))
                .isBetween(Instant.now().minus(Launched.PATIENCE), Instant.now().plusSeconds(20));
    }

    @Test
    void inputAndOutputPassThrough() throws Exception {
        // Something piped in comes out of the child, and what it says on stderr comes out there.
        Launched piped = Launched.start(
                directory,
                Map.of(),
                List.of(
                        "sh",
                        "-c",
                        "echo from outside | " + Launched.LAUNCHER + " run --at " + at
                                + " a -- sh -c 'cat; echo to stderr >&2'"));
        assertThat(piped.exitCode()).isZero();
        assertThat(piped.out()).isEqualTo("from outside\n");
        assertThat(piped.err()).isEqualTo("to stderr\n");
    }

    @Test
    void aBusyLockIsSaidByTheExitCode() throws Exception {
        // One holds; others do not wait, wait a little, ask for another code. Elsewhere than on a terminal waiting is
        // silent.
        Launched holder = run("--describe", "the long job", "a", "--", "sh", "-c", "echo holding; exec sleep 600")
                .untilOut("holding");
        // Long enough for the first connection on a machine that stalls.
        Launched patient = run("--wait", "5s", "--quiet", "a", "--", "echo", "never");
        Launched refused = run("--no-wait", "a", "--", "echo", "never");
        assertThat(refused.exitCode()).isEqualTo(75);
        assertThat(refused.err()).contains("busy", "process " + holder.pid(), "the long job");
        assertThat(refused.out()).isEmpty();
        assertThat(run("--no-wait", "--busy-exit", "0", "a", "--", "echo", "never")
                        .exitCode())
                .isZero();
        assertThat(patient.exitCode()).isEqualTo(75);
        assertThat(patient.out() + patient.err()).isEmpty();
        Launched waiting = run("a", "--", "echo", "at last");
        holder.signal("TERM");
        assertThat(holder.exitCode()).isEqualTo(143);
        assertThat(waiting.exitCode()).isZero();
        assertThat(waiting.out()).isEqualTo("at last\n");
    }

    @Test
    void aMinimumIsHeldByTheStoreHoweverSoonTheChildEnds() throws Exception {
        // The job takes no time; another machine whose clock is late starts it again and must find the lock held. We
        // used
        // to stay for the whole minimum, and whoever ended us freed the lock.
        Launched quick = run("--min-hold", "1h", "a", "--", "sh", "-c", "echo done; exit 3");
        assertThat(quick.exitCode()).as(quick.err()).isEqualTo(3);
        assertThat(quick.out()).isEqualTo("done\n");
        assertThat(quick.err()).isEmpty();
        assertThat(run("--no-wait", "a", "--", "true").exitCode()).isEqualTo(75);
        // Longer than any lease, and nobody is left who could renew it.
        Launched kept = Launched.holdfast(directory, "inspect", "--at", at, "a");
        assertThat(kept.exitCode()).as(kept.err()).isZero();
        assertThat(kept.out()).contains(Long.toString(quick.pid())).containsPattern("remaining    (59|60) min");
        assertThat(run("--no-wait", "b", "--", "true").exitCode()).isZero();
    }

    @Test
    void aMinimumCountsFromTheStartAndWhoeverWaitsComesAfterIt() throws Exception {
        // The command takes longer than the minimum: nothing is kept. Then shorter: the next one waits for the rest.
        Launched longer = run("--min-hold", "1ms", "a", "--", "true");
        assertThat(longer.exitCode()).as(longer.err()).isZero();
        assertThat(run("--no-wait", "a", "--", "true").exitCode()).isZero();
        long began = System.currentTimeMillis();
        Launched quick = run("--min-hold", "4s", "a", "--", "true");
        assertThat(quick.exitCode()).as(quick.err()).isZero();
        Launched next = run("a", "--", "sh", "-c", "date +%s%3N");
        assertThat(next.exitCode()).as(next.err()).isZero();
        assertThat(Long.parseLong(next.out().strip())).isGreaterThanOrEqualTo(began + 4_000);
    }

    @Test
    void withoutAnUrlTheLocksAreInAFileOfThisUserAndThatIsSaidOnce() throws Exception {
        // Twice with no URL, then with one from the environment.
        Launched first = Launched.holdfast(directory, "run", "a", "--", "true");
        assertThat(first.exitCode()).as(first.err()).isZero();
        Path file = directory.resolve("state/holdfast/locks.db");
        assertThat(first.err()).contains(file.toString(), "this machine", "HOLDFAST_URL");
        assertThat(file).exists();
        Launched second = Launched.holdfast(directory, "run", "a", "--", "true");
        assertThat(second.exitCode()).isZero();
        assertThat(second.err()).isEmpty();
        Launched elsewhere = Launched.start(
                directory, Map.of("HOLDFAST_URL", at), List.of(Launched.LAUNCHER.toString(), "run", "a", "--", "true"));
        assertThat(elsewhere.exitCode()).isZero();
        assertThat(directory.resolve("locks.db")).exists();
    }

    @Test
    void aCommandThatCannotBeStartedNeverWaitsForTheLock() throws Exception {
        // The lock is held by somebody else all the time.
        run("a", "--", "sh", "-c", "echo holding; exec sleep 600").untilOut("holding");
        Path plain = Files.writeString(directory.resolve("plain.txt"), "no program");
        Launched missing = run("a", "--", "no-such-command-anywhere");
        assertThat(missing.exitCode()).isEqualTo(127);
        assertThat(missing.err()).contains("not found: no-such-command-anywhere");
        assertThat(run("a", "--", directory.resolve("missing").toString()).exitCode())
                .isEqualTo(127);
        assertThat(run("a", "--", plain.toString()).exitCode()).isEqualTo(126);
        assertThat(run("a", "--", directory.toString()).exitCode()).isEqualTo(126);
    }

    @Test
    void aLongLeaseIsAccepted() throws Exception {
        // Longer than what a library user gets without asking.
        Launched run = run("--lease", "5m", "a", "--", "sh", "-c", "echo $HOLDFAST_DEADLINE");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Instant.ofEpochMilli(Long.parseLong(run.out().strip())))
                .isAfter(Instant.now().plus(Duration.ofMinutes(3)));
    }

    @Test
    void namesAreTheSameInALocaleWithoutLetters() throws Exception {
        // A job from cron, where the locale is C, and one from a shell with UTF-8: the same name is the same lock,
        // other bytes
        // are refused, and the child sees the arguments and the locale as they were.
        Path script = Files.writeString(
                directory.resolve("names.sh"),
                "LC_ALL=C " + Launched.LAUNCHER + " run --at " + at
                        + " 'größe' -- sh -c 'echo \"$1 $LC_ALL\"; LC_ALL=C.UTF-8 \"$2\" run --at \"$3\" --no-wait größe -- true;"
                        + " echo $?; LC_ALL=C \"$2\" run --at \"$3\" --no-wait maße -- true; echo $?' - 'süß' "
                        + Launched.LAUNCHER + " " + at + "\nLC_ALL=C " + Launched.LAUNCHER + " run --at " + at
                        + " \"$(printf '\\344')\" -- echo never; echo $?\n");
        Launched run = Launched.start(directory, Map.of(), List.of("sh", script.toString()));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).as(run.err()).isEqualTo("süß C\n75\n0\n64\n");
    }
}
