package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Where no JVM can start, the exit code is 70, a line says what to do, and the command is not run. */
@ExtendWith(Launched.Cleanup.class)
class JavaStartIT {
    @TempDir
    Path directory;

    private Launched limited(Map<String, String> variables, String limits) throws Exception {
        return Launched.start(
                directory,
                variables,
                List.of("bash", "-c", limits + "; exec \"$0\" run a -- echo ran", Launched.LAUNCHER.toString()));
    }

    private void assertFails(Launched run, String... reasons) throws Exception {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(70);
        assertThat(run.err()).contains(reasons);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void tooFewDescriptorsAreToldAtOnce() throws Exception {
        // Up to 12 it hung for ever, opening a pipe that nobody else had open; with more, Java ended with 1.
        for (int files : new int[] {6, 12, 16, 30}) {
            assertFails(limited(Map.of(), "ulimit -n " + files), "open fewer files", "ulimit -n");
        }
        assertFails(
                limited(Map.of(), "ulimit -n 64; for fd in {10..60}; do eval \"exec $fd< /dev/null\"; done"),
                "ulimit -n");
    }

    @Test
    void aSoftLimitIsRaisedForUsAndKeptForTheCommand() throws Exception {
        // It hung, though it may have as many as it needs.
        Launched run = Launched.start(
                directory,
                Map.of(),
                List.of(
                        "bash",
                        "-c",
                        "ulimit -S -n 8; exec \"$0\" run a -- bash -c 'ulimit -S -n'",
                        Launched.LAUNCHER.toString()));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("8\n");
    }

    @Test
    void tooLittleMemoryAndWrongOptionsAreTold() throws Exception {
        // Ended with 1, which could be the command's, and between 1 and 2 GB without a word.
        for (int kilobytes : new int[] {500_000, 800_000, 1_000_000, 1_200_000}) {
            assertFails(limited(Map.of(), "ulimit -v " + kilobytes), "Java cannot start", "ulimit -a");
        }
        assertFails(limited(Map.of("JAVA_TOOL_OPTIONS", "-Xmx1x"), ":"), "Java cannot start", "-Xmx1x");
    }

    @Test
    void aJavaThatDoesNotWorkIsTold() throws Exception {
        // Ended with 69, as if the store were to blame, and said "This is Java ?.".
        Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'libjvm.so is missing' >&2\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Map<String, String> home = Map.of("JAVA_HOME", directory.resolve("jdk").toString());
        assertFails(limited(home, ":"), "Java cannot start", "libjvm.so is missing", "JAVA_HOME");
        Files.writeString(java, "#!/bin/sh\necho 'java version \"11.0.2\"' >&2\n");
        assertFails(limited(home, ":"), "This is Java 11", "17 or later");
    }

    @Test
    void aJavaThatEndsWithoutAWordIsNotTakenForTheCommand() throws Exception {
        // Nothing said that the command had not been run.
        Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
        Files.writeString(
                java, "#!/bin/sh\ncase $* in *-version*) echo 'java version \"17.0.2\"' >&2 ;; *) exit 1 ;; esac\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Launched run =
                limited(Map.of("JAVA_HOME", directory.resolve("jdk").toString()), "export XDG_CACHE_HOME=$PWD/cache");
        assertThat(run.exitCode()).isEqualTo(1);
        run.untilErr("Java has ended before it could ask for the lock. The command was not started.");
        assertThat(run.out()).isEmpty();
    }
}
