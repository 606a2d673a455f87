package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.subject.ZooKeeperTick;
import dev.holdfast.tck.ServerPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.Version;

/** One ZooKeeper server in a process of its own. */
public final class ZooKeeperServer extends ServerProcess {
    private static final int PATIENCE_MILLIS = 1_000;

    public ZooKeeperServer(Machine machine, DiskLauncher disks) throws IOException, InterruptedException {
        super(machine, disks, "zookeeper", ServerPorts.next());
        start(0);
    }

    @Override
    List<String> command(Path data, int port) throws IOException {
        Path settings = data.resolveSibling("zoo.cfg");
        Files.writeString(settings, """
                tickTime=%d
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                maxClientCnxns=0
                admin.enableServer=false
                4lw.commands.whitelist=ruok
                """.formatted(ZooKeeperTick.MILLIS, data, port));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                "org.apache.zookeeper.server.ZooKeeperServerMain",
                settings.toString());
    }

    @Override
    boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write("ruok".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).equals("imok");
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public String version() {
        return "ZooKeeper " + Version.getVersion();
    }
}
