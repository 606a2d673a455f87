package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.tck.ServerPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One etcd server in a process of its own. */
public final class EtcdServer extends ServerProcess {
    /** Names the folder of the programs. */
    public static final String PROGRAMS_PROPERTY = "holdfast.etcd";

    private final int peerPort = ServerPorts.next();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

    public EtcdServer(Machine machine, DiskLauncher disks) throws IOException, InterruptedException {
        super(machine, disks, "etcd", ServerPorts.next());
        start(0);
    }

    private static Path program() throws IOException {
        Path program = Path.of(System.getProperty(PROGRAMS_PROPERTY, ""), "etcd");
        if (!program.isAbsolute() || !Files.isExecutable(program)) {
            throw new IOException("etcd is not installed, and its packages cannot be had");
        }
        return program;
    }

    @Override
    List<String> command(Path data, int port) throws IOException {
        String client = "http://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + peerPort;
        return List.of(
                program().toString(),
                "--data-dir=" + data.resolve("etcd"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer);
    }

    @Override
    boolean answers(int port) throws InterruptedException {
        try {
            return ask(port, "/health").contains("true");
        } catch (IOException notYet) {
            return false;
        }
    }

    private String ask(int port, String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .timeout(Duration.ofSeconds(1))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    @Override
    public String version() {
        try {
            return "etcd " + ask(ports().get(0), "/version").replaceAll(".*\"etcdserver\":\"([^\"]+)\".*", "$1");
        } catch (IOException e) {
            return "etcd";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "etcd";
        }
    }
}
