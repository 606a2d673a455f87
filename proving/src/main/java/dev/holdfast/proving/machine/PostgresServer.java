package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.tck.ServerPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL, which is a family of processes: what happens to it happens to all of them. Commits wait for the disk. */
public final class PostgresServer extends ServerProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private @Nullable Path program;

    public PostgresServer(Machine machine, DiskLauncher disks) throws IOException, InterruptedException {
        super(machine, disks, "postgres", ServerPorts.next());
        start(0);
    }

    @Override
    List<String> command(Path data, int port) throws IOException, InterruptedException {
        Path database = data.resolve("postgres");
        if (program == null) {
            program = createDatabase(database, port);
            awaitEnd(database);
        }
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root. In a namespace of its own it is nobody, as it was when the database
            // was created.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(program.toString(), "-D", database.toString(), "-p", Integer.toString(port)));
        for (String setting : List.of(
                "max_connections=300", "timezone=UTC", "fsync=on", "full_page_writes=on", "synchronous_commit=on")) {
            command.addAll(List.of("-c", setting));
        }
        return command;
    }

    /** Unpacks the programs and creates the database, by starting it once without our launcher. Returns the program of the server. */
    private static Path createDatabase(Path database, int port) throws IOException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setPort(port)
                        .setDataDirectory(database)
                        .setCleanDataDirectory(false)
                        .setPGStartupWait(PATIENCE)
                        .start();
                Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet folder = statement.executeQuery("SELECT setting FROM pg_config WHERE name = 'BINDIR'")) {
            folder.next();
            return Path.of(folder.getString(1), "postgres");
        } catch (SQLException e) {
            throw new IOException("PostgreSQL does not say where its programs are", e);
        }
    }

    /** The package gives the server five seconds to end and then looks away, which is too short on a busy machine. */
    private static void awaitEnd(Path database) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (Files.exists(database.resolve("postmaster.pid"))) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("PostgreSQL does not end");
            }
            Thread.sleep(20);
        }
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres");
    }

    @Override
    boolean answers(int port) {
        try (Connection connection = connect(port)) {
            return connection.isValid((int) PATIENCE.toSeconds());
        } catch (SQLException notYet) {
            return false;
        }
    }

    @Override
    public String version() {
        try (Connection connection = connect(ports().get(0))) {
            return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            return "PostgreSQL";
        }
    }

    @Override
    public void kill(int server) throws IOException {
        List<ProcessHandle> all = family();
        all.forEach(ProcessHandle::destroyForcibly);
        super.kill(server);
        all.forEach(each -> each.onExit().join());
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
        List<ProcessHandle> all = family();
        if (all.isEmpty()) {
            throw new IOException("PostgreSQL is not running");
        }
        List<String> command = new ArrayList<>(List.of("kill", signal));
        all.forEach(each -> command.add(Long.toString(each.pid())));
        int unused = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
