package dev.holdfast.benchmarks.zookeeper;

import dev.holdfast.benchmarks.sidebyside.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;

/** One server or three, in this process, and how many packets they have received. */
final class Servers implements Store {
    static final int TICK_MILLIS = 1000;

    private final TestingCluster cluster;

    Servers(int count) throws Exception {
        // Measured is the protocol; how fast a disk is would hide it.
        System.setProperty("zookeeper.forceSync", "no");
        System.setProperty("zookeeper.4lw.commands.whitelist", "*");
        List<InstanceSpec> specs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            specs.add(new InstanceSpec(
                    null, -1, -1, -1, true, -1, TICK_MILLIS, 200, Map.of("syncLimit", "5"), "127.0.0.1"));
        }
        cluster = new TestingCluster(specs);
        cluster.start();
    }

    String address() {
        return cluster.getConnectString();
    }

    @Override
    public List<String> urls() {
        return List.of(address());
    }

    /** Since the servers were started, our own questions included. */
    @Override
    public long requests() throws IOException {
        long sum = 0;
        for (InstanceSpec each : cluster.getInstances()) {
            sum += received(each.getPort());
        }
        return sum;
    }

    private static long received(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return said.lines()
                    .filter(line -> line.startsWith("Received: "))
                    .mapToLong(line -> Long.parseLong(line.substring("Received: ".length())))
                    .sum();
        }
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
