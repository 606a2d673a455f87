package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.tck.ServerPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL, which is a family of processes: what happens to it happens to all of them. Commits wait for the disk. */
public final class PostgresServer implements StoreServers {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int port = ServerPorts.next();
    private final Path data;
    private @Nullable EmbeddedPostgres postgres;

    public PostgresServer(Machine machine) throws IOException {
        data = machine.folder().resolve("postgres-" + port);
        start(0);
    }

    @Override
    public List<Integer> ports() {
        return List.of(port);
    }

    @Override
    public String version() {
        try (Connection connection =
                DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres")) {
            return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            return "PostgreSQL";
        }
    }

    @Override
    public void start(int server) throws IOException {
        postgres = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(PATIENCE)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    /** The server and all that it has started. */
    private List<ProcessHandle> family() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
        return ProcessHandle.of(pid)
                .map(first ->
                        Stream.concat(Stream.of(first), first.descendants()).toList())
                .orElse(List.of());
    }

    @Override
    public void kill(int server) throws IOException {
        List<ProcessHandle> all = family();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
        closeQuietly();
    }

    private void closeQuietly() {
        if (postgres != null) {
            try {
                postgres.close();
            } catch (IOException dead) {
                // That is how it was left.
            }
            postgres = null;
        }
    }

    @Override
    public void forget(int server) throws IOException {
        throw new IOException("A database is not expected to forget");
    }

    @Override
    public void freeze(int server) throws IOException, InterruptedException {
        signal("-STOP");
        // The signal alone is no proof: each process has to run to take it.
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!family().stream().allMatch(PostgresServer::isStopped)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("PostgreSQL could not be frozen");
            }
            Thread.sleep(5);
        }
    }

    private static boolean isStopped(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            // The state follows the name, which stands in brackets.
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException ended) {
            return true;
        }
    }

    @Override
    public void thaw(int server) throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        family().forEach(each -> command.add(Long.toString(each.pid())));
        int unused = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Also one that stands still, which could not be asked to end. */
    @Override
    public void close() throws IOException {
        if (Files.exists(data.resolve("postmaster.pid"))) {
            kill(0);
        }
        closeQuietly();
    }
}
