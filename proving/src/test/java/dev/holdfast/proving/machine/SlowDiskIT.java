package dev.holdfast.proving.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lab.machine.Machine;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Small programs and a PostgreSQL that wait for a slow disk. A busy machine makes all of it slower, so upper limits are far away. */
class SlowDiskIT {
    private static final int DELAY_MILLIS = 1_000;
    private static final int AT_ONCE = 20;
    private static final long PATIENCE_MILLIS = 60_000;
    private static final String WRITE = "dd if=/dev/zero of=\"$0/file$1\" bs=1 count=1 conv=fsync 2> /dev/null";

    private static Machine machine;
    private static DiskLauncher disks;

    @BeforeAll
    static void prepare() throws Exception {
        assumeTrue(hasCompiler(), "no C compiler");
        assumeTrue(isKernelRecent(), "no Linux 5.19 or later");
        machine = Machine.prepare();
        disks = DiskLauncher.prepare(machine);
        assertThat(disks.whyNot()).isEmpty();
        assertThat(disks.isUsable()).isTrue();
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            return new ProcessBuilder("cc", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notFound) {
            return false;
        }
    }

    private static boolean isKernelRecent() {
        Matcher version = Pattern.compile("^(\\d+)\\.(\\d+)").matcher(System.getProperty("os.version"));
        return System.getProperty("os.name").equals("Linux")
                && version.find()
                && Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2)) >= 5019;
    }

    @AfterAll
    static void close() throws IOException {
        if (machine != null) {
            machine.close();
        }
    }

    private static long millisOf(Callable<?> step) throws Exception {
        long began = System.nanoTime();
        Object unused = step.call();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    /** On a busy machine the first may well take as long as a slow disk. */
    private static long shortestMillisOf(Callable<?> step) throws Exception {
        long shortest = Long.MAX_VALUE;
        for (int tries = 0; tries < 20 && shortest >= DELAY_MILLIS; tries++) {
            shortest = Math.min(shortest, millisOf(step));
        }
        return shortest;
    }

    private static Process start(SlowDisk disk, String script) throws IOException {
        return machine.start(new ProcessBuilder(disk.command(
                        List.of("sh", "-c", script, machine.folder().toString(), "1")))
                .redirectErrorStream(true));
    }

    private static Void run(SlowDisk disk, String script) throws Exception {
        Process process = start(disk, script);
        assertThat(process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        machine.end(process);
        assertThat(process.exitValue()).isZero();
        return null;
    }

    private static List<ProcessHandle> supervisors() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info()
                        .command()
                        .filter(program ->
                                program.startsWith(machine.folder().toString()) && program.endsWith("/slow-disk"))
                        .isPresent())
                .toList();
    }

    private static void awaitNoSupervisor() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!supervisors().isEmpty()) {
            assertThat(System.nanoTime() - deadline)
                    .as("until the supervisor must have ended")
                    .isNegative();
            Thread.sleep(10);
        }
    }

    @Test
    void anFsyncTakesTheDelayWhileOneIsSet() throws Exception {
        SlowDisk disk = disks.disk("one");
        disk.setDelay(DELAY_MILLIS);
        assertThat(millisOf(() -> run(disk, WRITE))).isGreaterThanOrEqualTo(DELAY_MILLIS);
        disk.setDelay(0);
        assertThat(shortestMillisOf(() -> run(disk, WRITE))).isLessThan(DELAY_MILLIS);
    }

    @Test
    void callsAtTheSameTimeDoNotQueue() throws Exception {
        SlowDisk disk = disks.disk("many");
        disk.setDelay(DELAY_MILLIS);
        String script =
                "n=0; while [ $n -lt " + AT_ONCE + " ]; do n=$((n + 1)); sh -c '" + WRITE + "' \"$0\" $n & done; wait";
        assertThat(millisOf(() -> run(disk, script)))
                .isGreaterThanOrEqualTo(DELAY_MILLIS)
                .isLessThan(AT_ONCE * DELAY_MILLIS);
    }

    @Test
    void theProcessIsTheServerAndTheSupervisorEndsAfterIt() throws Exception {
        // The server says who it is, closes its output and stays. Nobody else may have the output open, or be taken for
        // its child.
        awaitNoSupervisor();
        Process server = start(disks.disk("output"), "echo $$; exec sleep 60 > /dev/null 2>&1");
        try {
            String output = new String(server.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(output.strip()).isEqualTo(Long.toString(server.pid()));
            assertThat(server.isAlive()).isTrue();
            assertThat(server.descendants()).isEmpty();
            assertThat(supervisors()).hasSize(1);
        } finally {
            machine.end(server);
        }
        awaitNoSupervisor();
    }

    @Test
    void aCommitOfPostgresWaitsAlsoAfterARestart() throws Exception {
        // Slow the disk, commit; kill the server, start it again, commit; freeze it and let it go on, commit.
        awaitNoSupervisor();
        try (PostgresServer postgres = new PostgresServer(machine, disks)) {
            execute(postgres, "CREATE TABLE commits (number int)");
            assertCommitsWait(postgres);
            postgres.kill(0);
            awaitNoSupervisor();
            postgres.start(0);
            assertCommitsWait(postgres);
            postgres.freeze(0);
            postgres.thaw(0);
            assertCommitsWait(postgres);
        }
        awaitNoSupervisor();
    }

    private static void assertCommitsWait(PostgresServer postgres) throws Exception {
        Callable<?> commit = () -> execute(postgres, "INSERT INTO commits VALUES (1)");
        assertThat(shortestMillisOf(commit)).isLessThan(DELAY_MILLIS);
        postgres.setDiskDelay(0, DELAY_MILLIS);
        assertThat(millisOf(commit)).isGreaterThanOrEqualTo(DELAY_MILLIS);
        postgres.setDiskDelay(0, 0);
    }

    private static Void execute(PostgresServer postgres, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + postgres.ports().get(0) + "/postgres?user=postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return null;
    }

    @Test
    void whereItIsNotUsableServersStartAndADelayIsRefused() throws Exception {
        Path folder = Files.createDirectories(machine.folder().resolve("unusable"));
        SlowDisk disk = DiskLauncher.unusable(folder, "no compiler").disk("none");
        assertThat(disk.command(List.of("server"))).containsExactly("server");
        assertThatThrownBy(() -> disk.setDelay(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no compiler");
    }
}
