package dev.holdfast.zookeeper;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server whose insides a test can reach: its counters and its sessions. */
final class InProcessServer implements BeforeAllCallback, AfterAllCallback {
    private Path folder;
    private ZooKeeperServer server;
    private ServerCnxnFactory connections;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        System.setProperty("zookeeper.forceSync", "no");
        folder = Files.createTempDirectory("holdfast-zookeeper");
        server = new ZooKeeperServer(folder.toFile(), folder.toFile(), Server.TICK_MILLIS);
        server.setMaxSessionTimeout(60_000);
        connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
        connections.startup(server);
    }

    String address() {
        return "127.0.0.1:" + connections.getLocalPort();
    }

    /** As if so many children had been created below this node. Call it while nobody creates one. */
    void setSequence(String path, int next) {
        DataNode node = server.getZKDatabase().getDataTree().getNode(path);
        synchronized (node) {
            node.stat.setCversion(next);
        }
    }

    boolean knowsSession(long id) {
        return server.getZKDatabase().getSessions().contains(id);
    }

    /** What an operator does to a session that is in the way: the servers forget it, and its nodes are gone. */
    void killSession(long id) {
        server.closeSession(id);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        connections.shutdown();
        server.shutdown();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
        }
    }
}
