package dev.holdfast.cli.demo;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.lab.machine.RedisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Real Redis servers for a few seconds: in a folder of their own, on free ports of this machine, with nothing kept. */
public final class RedisServers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TICK = Duration.ofMillis(5);
    /** What the server writes into its log when it listens. */
    private static final String READY = "Ready to accept connections";

    /** Below those that most systems lend to whoever connects: nobody is given such a port before the server has it. */
    private static final int LOWEST_PORT = 32_000;

    private static final int PORTS = 768;
    private static final int TRIES = 10;

    private final Path folder;
    private final Path program;
    private final List<Process> processes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final Thread lastResort = new Thread(this::stop);

    private RedisServers(Path folder) throws IOException {
        this.folder = folder;
        this.program = RedisProgram.unpackInto(folder);
    }

    /** Settings as on the command line of the server. */
    public static RedisServers start(int count, String... settings) {
        return prepared(servers -> {
            for (int i = 0; i < count; i++) {
                servers.startAnywhere(settings);
            }
        });
    }

    /** Where somebody expects them. */
    public static RedisServers startAt(List<Integer> ports, String... settings) {
        return prepared(servers -> {
            for (int port : ports) {
                if (!servers.hasStartedAt(port, settings)) {
                    throw new IOException("it ended. Port " + port + " may be in use");
                }
            }
        });
    }

    private interface Start {
        void with(RedisServers servers) throws IOException, InterruptedException;
    }

    private static RedisServers prepared(Start start) {
        try {
            RedisServers servers = new RedisServers(Files.createTempDirectory("holdfast-demo"));
            Runtime.getRuntime().addShutdownHook(servers.lastResort);
            start.with(servers);
            return servers;
        } catch (IOException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "No Redis server could be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliException(ExitCode.UNAVAILABLE, "Interrupted while Redis servers were started");
        }
    }

    /** Somebody else may take the port that was free, or have it on another address: the server ends, and the next port is tried. */
    private void startAnywhere(String... settings) throws IOException, InterruptedException {
        int offset = ThreadLocalRandom.current().nextInt(PORTS);
        int ended = 0;
        for (int i = 0; i < PORTS && ended < TRIES; i++) {
            int port = LOWEST_PORT + (offset + i) % PORTS;
            if (isFree(port)) {
                if (hasStartedAt(port, settings)) {
                    return;
                }
                ended++;
            }
        }
        throw new IOException("at no port from " + LOWEST_PORT + " to " + (LOWEST_PORT + PORTS - 1));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** False if the server has ended. That somebody answers at its port does not say that it is this server. */
    private boolean hasStartedAt(int number, String... settings) throws IOException, InterruptedException {
        String port = Integer.toString(number);
        Path log = folder.resolve(port + ".log");
        List<String> command = new ArrayList<>(List.of(program.toString(), "--port", port, "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--dir", folder.toString()));
        command.addAll(List.of(settings));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(log.toFile()))
                .start();
        processes.add(process);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.readString(log).contains(READY)) {
            if (process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
                processes.remove(process);
                return false;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("the server at port " + port + " is not ready: " + Files.readString(log));
            }
        }
        ports.add(number);
        return true;
    }

    /** Of one. */
    public String redisUrl() {
        return "redis://127.0.0.1:" + ports.get(0);
    }

    /** Of all of them. */
    public String redlockUrl() {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",", "redlock://", ""));
    }

    /** As kill -9 does it. Answers which one it was. */
    public String kill(int index) {
        processes.get(index).destroyForcibly().onExit().join();
        return "127.0.0.1:" + ports.get(index);
    }

    private void stop() {
        processes.forEach(process -> process.destroyForcibly().onExit().join());
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(lastResort);
        stop();
    }
}
