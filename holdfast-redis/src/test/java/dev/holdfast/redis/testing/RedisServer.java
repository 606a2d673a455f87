package dev.holdfast.redis.testing;

import dev.holdfast.tck.ServerPorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import redis.embedded.RedisExecProvider;

/** A real Redis server in a process of its own, with a port and a folder that it keeps over restarts. */
public final class RedisServer implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** Unpacked once: a file that is being written cannot be run, and servers are started side by side. Unless another one is named. */
    private static final String BINARY =
            Objects.requireNonNullElseGet(System.getProperty("holdfast.redis.server"), RedisServer::unpack);

    private final int port = ServerPorts.next();
    private final Path folder;
    private final List<String> settings;
    /** Settings of this run, which come after the others. */
    private volatile List<String> more = List.of();

    /** What comes before the settings. */
    private final List<String> program = new ArrayList<>();

    private final Thread lastResort = new Thread(this::kill);
    private volatile @Nullable Process process;
    private volatile boolean paused;

    private RedisServer(List<String> settings) {
        this.settings = settings;
        try {
            folder = Files.createTempDirectory("holdfast-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keeps nothing over a restart. Settings as on the command line: {@code "--maxmemory", "1mb"}. */
    public static RedisServer embedded(String... settings) {
        List<String> all = new ArrayList<>(List.of("--save", "", "--appendonly", "no"));
        all.addAll(List.of(settings));
        return new RedisServer(all);
    }

    /** Keeps everything over a restart. */
    public static RedisServer durable(String... settings) {
        return embedded(Stream.concat(Stream.of("--appendonly", "yes", "--appendfsync", "always"), Stream.of(settings))
                .toArray(String[]::new));
    }

    /** A sentinel that watches the master at that port, and takes it for dead after a silence of that length. */
    public static RedisServer sentinel(String master, int masterPort, int downAfterMillis) {
        RedisServer sentinel = new RedisServer(List.of());
        String configuration = String.join(
                "\n",
                "sentinel monitor " + master + " 127.0.0.1 " + masterPort + " 2",
                "sentinel down-after-milliseconds " + master + " " + downAfterMillis,
                "sentinel failover-timeout " + master + " 4000",
                "");
        try {
            Path file = Files.writeString(sentinel.folder.resolve("sentinel.conf"), configuration);
            sentinel.program.addAll(List.of(file.toString(), "--sentinel"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sentinel;
    }

    public int port() {
        return port;
    }

    public boolean isRunning() {
        return process != null;
    }

    /** Whether it can be asked. */
    public boolean isAnswering() {
        return process != null && !paused;
    }

    /** In the list of a quorum. */
    public String name() {
        return "127.0.0.1:" + port;
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    public String url(String user, String password) {
        return "redis://" + user + ":" + password + "@127.0.0.1:" + port;
    }

    // ---- life and death

    public RedisServer start() {
        Runtime.getRuntime().addShutdownHook(lastResort);
        launch();
        awaitReady();
        return this;
    }

    private void launch() {
        try {
            List<String> command = new ArrayList<>(List.of(BINARY));
            command.addAll(program);
            command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", folder.toString()));
            command.addAll(List.of("--enable-debug-command", "yes"));
            command.addAll(settings);
            command.addAll(more);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return folder.resolve("log");
    }

    private void awaitReady() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try (Resp resp = new Resp(port)) {
                resp.call("PING");
                requireOurs(String.valueOf(resp.call("INFO", "server")));
                return;
            } catch (IOException notYet) {
                if (String.valueOf(notYet.getMessage()).startsWith("NOAUTH")) {
                    return;
                }
                boolean ended = !Objects.requireNonNull(process).isAlive();
                if (System.nanoTime() - deadline > 0 || (ended && !foundItsPortInUse())) {
                    throw new IllegalStateException("Redis did not start, see " + log(), notYet);
                }
                if (ended) {
                    launch();
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    /** The port is ours. A child of the server before may still have its sockets, for a moment. */
    private boolean foundItsPortInUse() {
        try {
            return Files.readString(log()).contains("bind: Address");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that found its port taken is gone, and somebody else answers there. */
    private void requireOurs(String info) {
        long pid = Objects.requireNonNull(process).pid();
        if (info.lines().noneMatch(("process_id:" + pid)::equals)) {
            throw new IllegalStateException("Another server has taken port " + port);
        }
    }

    /** As kill -9 does it. */
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
            running.onExit().join();
            process = null;
            paused = false;
        }
    }

    /**
     * Kills it and starts it again.
     *
     * @param settings more of them, until the next time
     */
    public void restart(String... settings) {
        Runtime.getRuntime().removeShutdownHook(lastResort);
        kill();
        more = List.of(settings);
        start();
    }

    /** It keeps its connections and answers nothing, until {@link #resume}. */
    public void pause() {
        Freeze.stop(pid());
        paused = true;
    }

    public void resume() {
        Freeze.resume(pid());
        paused = false;
    }

    private long pid() {
        return Objects.requireNonNull(process, "not running").pid();
    }

    // ---- questions

    /** One command over a connection of its own. */
    public @Nullable Object call(String... command) {
        try (Resp resp = new Resp(port)) {
            return resp.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command) + ": " + e.getMessage(), e);
        }
    }

    public String text(String... command) {
        return String.valueOf(call(command));
    }

    /** How often the server ran this command since {@link #resetCounts}, those inside scripts included. */
    public long calls(String command) {
        return text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(RedisServer::callsIn)
                .sum();
    }

    /** All commands since {@link #resetCounts}, those inside scripts included, but not the counting itself. */
    public long allCalls() {
        return text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .filter(line -> !line.startsWith("cmdstat_info:") && !line.startsWith("cmdstat_config"))
                .mapToLong(RedisServer::callsIn)
                .sum();
    }

    private static long callsIn(String line) {
        int from = line.indexOf("calls=") + "calls=".length();
        return Long.parseLong(line.substring(from, line.indexOf(',', from)));
    }

    public void resetCounts() {
        call("CONFIG", "RESETSTAT");
    }

    private static String unpack() {
        try {
            return RedisExecProvider.defaultProvider().get().getAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (NoSuchFileException | UncheckedIOException vanishing) {
            // A child of the server may have outlived it for a moment. What it leaves is left.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }
}
