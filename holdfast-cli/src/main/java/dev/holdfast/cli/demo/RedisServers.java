package dev.holdfast.cli.demo;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.lab.machine.RedisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Real Redis servers for a few seconds: in a folder of their own, on free ports of this machine, with nothing kept. */
public final class RedisServers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final Thread lastResort = new Thread(this::stop);

    private RedisServers(Path folder) {
        this.folder = folder;
    }

    /** Settings as on the command line of the server. */
    public static RedisServers start(int count, String... settings) {
        List<Integer> ports = new ArrayList<>();
        try {
            while (ports.size() < count) {
                ports.add(freePort());
            }
        } catch (IOException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "No port is free: " + e);
        }
        return startAt(ports, settings);
    }

    /** Where somebody expects them. */
    public static RedisServers startAt(List<Integer> ports, String... settings) {
        try {
            RedisServers servers = new RedisServers(Files.createTempDirectory("holdfast-demo"));
            Runtime.getRuntime().addShutdownHook(servers.lastResort);
            Path program = RedisProgram.unpackInto(servers.folder);
            for (int port : ports) {
                servers.launch(program, port, settings);
            }
            for (int port : ports) {
                awaitAnswer(port);
            }
            return servers;
        } catch (IOException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "No Redis server could be started: " + e);
        }
    }

    private void launch(Path program, int number, String... settings) throws IOException {
        String port = Integer.toString(number);
        ports.add(number);
        List<String> command = new ArrayList<>(List.of(program.toString(), "--port", port, "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--dir", folder.toString()));
        command.addAll(List.of(settings));
        processes.add(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(folder.resolve(port + ".log").toFile()))
                .start());
    }

    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void awaitAnswer(int port) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    throw notYet;
                }
                Thread.onSpinWait();
            }
        }
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
