package dev.holdfast.benchmarks.etcd;

import dev.holdfast.benchmarks.sidebyside.Store;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A server on a folder of its own, and how many messages it has received. */
final class EtcdServer implements Store {
    private final Path folder = Files.createTempDirectory("holdfast-bench-etcd");
    private final int port = freePort();
    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();

    EtcdServer() throws IOException, InterruptedException {
        String client = "http://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + freePort();
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("holdfast.etcd", ""), "etcd").toString(),
                        "--data-dir=" + folder.resolve("data"),
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=default=" + peer,
                        // Old servers announce more than the bare client's transport can read.
                        "--max-concurrent-streams=1000000"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        for (int i = 0; !answers(); i++) {
            if (i == 300) {
                throw new IllegalStateException("etcd does not start: " + Files.readString(folder.resolve("log")));
            }
            Thread.sleep(100);
        }
    }

    private boolean answers() throws InterruptedException {
        try {
            return requests() >= 0;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public List<String> urls() {
        return List.of("127.0.0.1:" + port);
    }

    /** Messages on streams, such as keep-alives, included. */
    @Override
    public long requests() throws IOException, InterruptedException {
        String metrics = http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
        return metrics.lines()
                .filter(line -> line.startsWith("grpc_server_msg_received_total{"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
