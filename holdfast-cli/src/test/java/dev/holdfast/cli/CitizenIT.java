package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A command finds everything as it would without {@code holdfast run} in front of it. */
@ExtendWith(Launched.Cleanup.class)
class CitizenIT {
    private static final Duration SEVERAL_STARTS = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    /** A script in which {@code $RUN} stands for {@code holdfast run NAME --}. */
    private Launched script(String... lines) throws Exception {
        Path file = Files.writeString(
                directory.resolve("script.sh"),
                "RUN='" + Launched.LAUNCHER + " run --at sqlite:" + directory.resolve("locks.db") + " a --'\n"
                        + String.join("\n", lines) + "\n");
        Launched script = Launched.start(
                directory, Map.of(), List.of("env", "--default-signal=HUP,INT,QUIT,TERM", "bash", file.toString()));
        assertThat(script.exitCode(SEVERAL_STARTS)).as(script.err()).isZero();
        return script;
    }

    @Test
    void descriptorsAreTheCommandsOwn() throws Exception {
        // Two process substitutions, and files opened as 3 and 7. Used to be closed from 3 up: diff could not open its
        // arguments.
        Launched run = script(
                "echo hello > text",
                "$RUN diff <(echo a) <(echo b)",
                "$RUN sh -c 'cat <&3; echo bye >&7' 3< text 7> left",
                "cat left",
                "ls /proc/self/fd > before; $RUN ls /proc/self/fd > after; cmp before after");
        assertThat(run.out()).as(run.err()).isEqualTo("1c1\n< a\n---\n> b\nhello\nbye\n");
    }

    @Test
    void aDescriptorThatTheCommandClosesIsClosed() throws Exception {
        // The command says through a pipe that it is ready, by closing it, and lives on. Whoever reads must not wait
        // for
        // us.
        Launched run = script(
                "mkfifo ready",
                "$RUN bash -c 'echo ready >&3; exec 3>&-; while [ ! -e end ]; do sleep 0.1; done' 3> ready > /dev/null &",
                "cat ready > seen; cat seen; touch end; wait");
        assertThat(run.out()).as(run.err()).isEqualTo("ready\n");
    }

    @Test
    void standardDescriptorsThatAreClosedStayClosed() throws Exception {
        // Used to read the file that the JVM had opened as descriptor 0, its own library of classes.
        Launched run = script(
                "$RUN sh -c '[ -e /proc/self/fd/0 ] || echo no input' <&-",
                "$RUN sh -c '[ -e /proc/$$/fd/1 ] || echo no output >&2' >&-",
                "$RUN sh -c '[ -e /proc/$$/fd/2 ] || echo no errors' 2>&-");
        assertThat(run.out()).isEqualTo("no input\nno errors\n");
        assertThat(run.err()).isEqualTo("no output\n");
    }

    @Test
    void limitsAndSignalsAreAsTheyWere() throws Exception {
        // Used to see a soft limit as high as the hard one, and QUIT blocked: Ctrl-\ did nothing.
        Launched run = script(
                "ulimit -S -n 200; ulimit -H -n 400",
                "$RUN bash -c 'ulimit -S -n; ulimit -H -n'",
                "$RUN grep -E 'Sig(Blk|Ign)' /proc/self/status > after; grep -E 'Sig(Blk|Ign)' /proc/self/status > before",
                "cmp before after",
                "$RUN sh -c 'kill -QUIT $$; echo still here'; echo $?");
        assertThat(run.out()).as(run.err()).isEqualTo("200\n400\n131\n");
    }

    @Test
    void argumentsArriveByteForByte() throws Exception {
        // Bytes that are no text in any locale used to be refused with 64, wherever they stood. As a name they are.
        Launched run = script(
                "$RUN printf '%s|' $'\\xff\\xfe' $'a\\nb' '' $'\\344' > bytes",
                "printf '%s|' $'\\xff\\xfe' $'a\\nb' '' $'\\344' | cmp - bytes",
                "cp /bin/echo $'\\xff'; $RUN ./$'\\xff' started",
                Launched.LAUNCHER + " run $'\\xff' -- echo never; echo $?");
        assertThat(run.out()).as(run.err()).isEqualTo("started\n64\n");
        assertThat(run.err()).contains("not valid text");
    }

    @Test
    void aLocaleThatIsNotInstalledIsNoObstacle() throws Exception {
        // Java fell back to ASCII, and refused every name and argument with other letters.
        Launched run = script(
                "LC_ALL=xx_YY.UTF-8 $RUN sh -c 'echo \"$1 $LC_ALL\"' - süß",
                "LC_ALL=xx_YY.UTF-8 " + Launched.LAUNCHER + " run größe -- sh -c 'echo $HOLDFAST_NAME'");
        assertThat(run.out()).as(run.err()).isEqualTo("süß xx_YY.UTF-8\ngröße\n");
    }

    @Test
    void noPathAndNoEnvironmentAreNoObstacle() throws Exception {
        // Used to answer 127 to everything without a slash: the shell has a path of its own where none is set.
        Launched run = script(
                "env -u PATH $RUN echo found",
                "env -i $RUN sh -c 'echo alone'",
                "env -i app=1 home=2 cache=3 java=4 $RUN sh -c 'echo $app $home $cache $java'");
        assertThat(run.out()).as(run.err()).isEqualTo("found\nalone\n1 2 3 4\n");
    }

    @Test
    void aUserThatTheSystemDoesNotKnowHasTheHomeThatIsSet() throws Exception {
        // An arbitrary user in a container, whose home is set and in no list of users. Java said "?" for it.
        Path home = Files.createDirectory(directory.resolve("home"));
        Launched run = Launched.start(
                directory,
                Map.of("HOME", home.toString(), "XDG_STATE_HOME", ""),
                List.of(Launched.LAUNCHER.toString(), "run", "a", "--", "echo", "done"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(home.resolve(".local/state/holdfast/locks.db")).exists();
    }

    @Test
    void aUserWithoutANameRunsCommands() throws Exception {
        // A number that no list of users has, as containers are often given. Its home was "?", a file was looked for
        // below
        // that, and nothing was run. Without any home only the default file is refused.
        String somebody = "unshare --user --map-user=54321 --map-group=54321";
        assumeTrue(
                new ProcessBuilder((somebody + " true").split(" ", -1)).start().waitFor() == 0,
                "this machine has no user namespaces, or does not let us use them");
        Launched run = script(
                "export XDG_STATE_HOME= HOME=$PWD/home; mkdir home",
                somebody + " id -un > /dev/null 2>&1 || echo unknown",
                somebody + " " + Launched.LAUNCHER + " run a -- echo at home; ls home/.local/state/holdfast/locks.db",
                somebody + " env -u HOME $RUN echo homeless",
                somebody + " env -u HOME " + Launched.LAUNCHER + " run a -- echo never; echo $?");
        assertThat(run.out())
                .as(run.err())
                .isEqualTo("unknown\nat home\nhome/.local/state/holdfast/locks.db\nhomeless\n69\n");
        assertThat(run.err()).contains("There is no directory for the lock file: HOME is not set");
    }

    @Test
    void othersReadTheNameOfTheProgramOnly() throws Exception {
        // The whole command line used to be in the store, with the password on it, for all who may read there.
        Launched run = script(
                "$RUN sh -c '" + Launched.LAUNCHER + " inspect --json --at sqlite:locks.db a; : --password=secret'",
                "$RUN /bin/sh -c 'cat locks.db* | grep -a -c secret; : --password=secret'");
        assertThat(run.out()).contains("\"description\":\"sh\"").endsWith("\n0\n");
    }

    @Test
    void theUrlStaysWithUs() throws Exception {
        // It may hold a password. A run inside must not fall back to a file that excludes nobody else.
        Launched run = script(
                "export HOLDFAST_URL=sqlite:locks.db",
                Launched.LAUNCHER + " run b -- sh -c 'echo ${HOLDFAST_URL:-none}; " + Launched.LAUNCHER
                        + " run c -- echo never; echo $?'",
                Launched.LAUNCHER + " run --pass-url b -- sh -c 'echo $HOLDFAST_URL; " + Launched.LAUNCHER
                        + " run c -- echo inside'");
        assertThat(run.out()).as(run.err()).isEqualTo("none\n64\nsqlite:locks.db\ninside\n");
        assertThat(run.err()).contains("--pass-url", "HOLDFAST_URL_FILE");
    }

    @Test
    void aVariableThatIsEmptyIsAMistake() throws Exception {
        // Used to mean the file of this user: each machine of a deployment whose secret is missing had a lock of its
        // own.
        Launched run = script(
                "HOLDFAST_URL= " + Launched.LAUNCHER + " run a -- echo never; echo $?",
                "HOLDFAST_URL_FILE=' ' " + Launched.LAUNCHER + " ls; echo $?",
                "HOLDFAST_URL= " + Launched.LAUNCHER + " init; echo $?",
                "HOLDFAST_URL= $RUN echo told where");
        assertThat(run.out()).as(run.err()).isEqualTo("64\n64\n64\ntold where\n");
        assertThat(run.err()).contains("HOLDFAST_URL is set, but empty", "HOLDFAST_URL_FILE is set, but empty");
    }

    @Test
    void theUrlCanComeFromAFileOrADescriptor() throws Exception {
        // Neither stands on a command line or in an environment, where others could read it.
        Launched run = script(
                "echo sqlite:here.db > url",
                Launched.LAUNCHER + " run --at-file url a -- echo file",
                Launched.LAUNCHER + " run --at-file /dev/fd/3 a -- echo descriptor 3< <(echo sqlite:here.db)",
                "HOLDFAST_URL_FILE=url " + Launched.LAUNCHER + " run a -- sh -c '" + Launched.LAUNCHER
                        + " run b -- echo nested'",
                "for wrong in none /dev/stdin /dev/null; do " + Launched.LAUNCHER
                        + " run --at-file $wrong a -- echo never; echo $?; done");
        assertThat(run.out()).as(run.err()).isEqualTo("file\ndescriptor\nnested\n64\n64\n64\n");
        assertThat(directory.resolve("here.db")).exists();
        assertThat(new String(Files.readAllBytes(directory.resolve("url")), StandardCharsets.UTF_8))
                .isEqualTo("sqlite:here.db\n");
    }

    @Test
    void aRunInsideOfItselfIsToldSo() throws Exception {
        // Each waited for the other, for ever and without a word.
        Launched run = script(
                "$RUN sh -c '\"$@\"; echo $?' - $RUN echo never",
                "$RUN " + Launched.LAUNCHER + " run --at sqlite:locks.db --wait 5s a -- echo never; echo $?",
                "$RUN " + Launched.LAUNCHER + " run --at sqlite:locks.db --no-wait a -- echo never; echo $?",
                "$RUN " + Launched.LAUNCHER + " run --at sqlite:locks.db b -- echo another");
        assertThat(run.out()).as(run.err()).isEqualTo("64\n75\n75\nanother\n");
        assertThat(run.err()).contains("Lock 'a' is held by process", "which started this command", "for ever");
    }

    @Test
    void outputThatCannotBeWrittenIsNoSuccess() throws Exception {
        // Used to end with 0 and nothing on a full disk. A reader that has read enough is no error worth a word.
        Launched run = script(
                "$RUN sh -c '" + Launched.LAUNCHER + " ls --at sqlite:locks.db > /dev/full; echo $?'",
                Launched.LAUNCHER + " --help > /dev/full; echo $?",
                "$RUN sh -c '" + Launched.LAUNCHER + " ls --at sqlite:locks.db >&-; echo $?'",
                "mkfifo pipe; exec 4<> pipe; exec 5> pipe; exec 4>&-; " + Launched.LAUNCHER
                        + " --help >&5 2> said; echo $?; cat said");
        assertThat(run.out()).as(run.err()).isEqualTo("74\n74\n74\n141\n");
        assertThat(run.err()).contains("could not be written: No space left on device");
    }

    @Test
    void helpOfRunIsOnStandardOutput() throws Exception {
        // With a command behind it: our own standard output is not where the user's is.
        Launched run = script(Launched.LAUNCHER + " run --help a -- echo never");
        assertThat(run.out()).contains("holdfast run [OPTIONS] NAME -- COMMAND").doesNotContain("never\n");
    }
}
