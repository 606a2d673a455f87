package dev.holdfast.redis.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
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
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Unpacked once: a file that is being written cannot be run, and servers are started side by side. */
    private static final String BINARY = unpack();

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private final int port = freePort();
    private final Path folder;
    private final List<String> settings;
    private final Thread lastResort = new Thread(this::kill);
    private volatile @Nullable Process process;

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

    public int port() {
        return port;
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    public String url(String user, String password) {
        return "redis://" + user + ":" + password + "@127.0.0.1:" + port;
    }

    // ---- life and death

    public RedisServer start() {
        try {
            List<String> command = new ArrayList<>(List.of(BINARY, "--port", "" + port));
            command.addAll(List.of("--bind", "127.0.0.1", "--dir", folder.toString(), "--enable-debug-command", "yes"));
            command.addAll(settings);
            Runtime.getRuntime().addShutdownHook(lastResort);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(folder.resolve("log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReady();
        return this;
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
                if (System.nanoTime() - deadline > 0
                        || !Objects.requireNonNull(process).isAlive()) {
                    throw new IllegalStateException("Redis did not start, see " + folder.resolve("log"), notYet);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
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
        }
    }

    public void restart() {
        Runtime.getRuntime().removeShutdownHook(lastResort);
        kill();
        start();
    }

    /** It keeps its connections and answers nothing, until {@link #resume}. */
    public void pause() {
        signal("-STOP");
    }

    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            long pid = Objects.requireNonNull(process, "not running").pid();
            int code = new ProcessBuilder("kill", signal, Long.toString(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill " + signal + " failed: " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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

    /** Below the ports that the system lends to whoever connects, and never the same twice in this process. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            if (GIVEN.add(port) && isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
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
