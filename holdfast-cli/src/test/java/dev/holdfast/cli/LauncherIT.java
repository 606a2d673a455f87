package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher does around the JVM: its archive of classes, and completion. */
@ExtendWith(Launched.Cleanup.class)
class LauncherIT {
    private static final Duration SEVERAL_STARTS = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    /** With the jars of the real one, and an archive of its own. */
    private Path installAnother() throws IOException {
        Path installed = Launched.LAUNCHER.getParent().getParent();
        Path app = Files.createDirectory(directory.resolve("app"));
        for (String part : List.of("lib", "libexec")) {
            Files.createSymbolicLink(app.resolve(part), installed.resolve(part));
        }
        Path launcher = Files.createDirectory(app.resolve("bin")).resolve("holdfast");
        Files.copy(Launched.LAUNCHER, launcher, StandardCopyOption.COPY_ATTRIBUTES);
        return launcher;
    }

    /**
     * Starts the real one, and writes its arguments into the file 'started'. Where the variable SLOW is set, it waits with its version
     * until the file 'go' is there.
     */
    private Path recordingJava() throws IOException {
        Path home = directory.resolve("jdk");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(
                java,
                "#!/bin/sh\necho \"$*\" >> " + directory.resolve("started") + "\n"
                        + "if [ -n \"$SLOW\" ] && [ \"$1\" = -version ]; then\n  touch " + directory.resolve("asked")
                        + "\n  while [ ! -e " + directory.resolve("go") + " ]; do sleep 0.05; done\nfi\nexec "
                        + Path.of(System.getProperty("java.home"), "bin", "java") + " \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        return home;
    }

    @Test
    void theArchiveIsWrittenOnceForAll() throws Exception {
        // Four cold starts at once, and others in other time zones: each used to write an archive of its own, and those
        // of
        // other zones stayed for ever. One that found no archive and then stalled used to write it again. What was left
        // from before is removed.
        Path launcher = installAnother();
        Path cache = Files.createDirectory(launcher.getParent().resolveSibling("cache"));
        for (int i = 0; i < 4; i++) {
            Files.setLastModifiedTime(
                    Files.writeString(cache.resolve(i + ".jsa"), "old"), FileTime.from(Instant.EPOCH));
        }
        Path home = recordingJava();
        Launched stalled = Launched.start(
                directory,
                Map.of("JAVA_HOME", home.toString(), "SLOW", "yes"),
                List.of(launcher.toString(), "--version"));
        await().atMost(Launched.PATIENCE).until(() -> Files.exists(directory.resolve("asked")));
        List<Launched> cold = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            cold.add(Launched.start(
                    directory, Map.of("JAVA_HOME", home.toString()), List.of(launcher.toString(), "--version")));
        }
        for (Launched each : cold) {
            assertThat(each.exitCode(SEVERAL_STARTS)).as(each.err()).isZero();
        }
        for (String zone : List.of("Asia/Tokyo", "America/New_York")) {
            Launched elsewhere = Launched.start(
                    directory,
                    Map.of("JAVA_HOME", home.toString(), "TZ", zone),
                    List.of(launcher.toString(), "--version"));
            assertThat(elsewhere.exitCode(SEVERAL_STARTS)).as(elsewhere.err()).isZero();
        }
        Files.createFile(directory.resolve("go"));
        assertThat(stalled.exitCode(SEVERAL_STARTS)).as(stalled.err()).isZero();
        try (Stream<String> lines = Files.lines(directory.resolve("started"))) {
            assertThat(lines.filter(line -> line.contains("ArchiveTraining"))).hasSize(1);
        }
        try (Stream<Path> files = Files.list(cache)) {
            assertThat(files).hasSize(3).allMatch(file -> file.toString().endsWith(".jsa"));
        }
    }

    @Test
    void behindTheDashesCommandsAndFilesAreOffered() throws Exception {
        // Used to offer the options of run there. A shell without the package bash-completion, as most are in scripts.
        Files.createFile(directory.resolve("some-file"));
        Path completion =
                Launched.LAUNCHER.getParent().resolveSibling("completion").resolve("holdfast");
        Launched offered = Launched.start(
                directory,
                Map.of(),
                List.of(
                        "bash",
                        "-c",
                        "source " + completion
                                + "; offer() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=();"
                                + " $(complete -p holdfast | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo \"${COMPREPLY[@]}\"; };"
                                + " offer holdfast run a -- unam; offer holdfast run a -- ls some; offer holdfast run --lea"));
        assertThat(offered.exitCode()).as(offered.err()).isZero();
        List<String> lines = offered.out().lines().toList();
        assertThat(lines.get(0)).contains("uname");
        assertThat(lines.get(1)).isEqualTo("some-file");
        assertThat(lines.get(2)).isEqualTo("--lease");
    }
}
