package dev.holdfast.zookeeper;

import dev.holdfast.tck.ServerPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One real server for the tests of one class, with ticks short enough to wait for. */
final class Server implements BeforeAllCallback, AfterAllCallback {
    static final int TICK_MILLIS = 200;
    static final int SYNC_LIMIT = 8;

    private TestingServer server;

    static InstanceSpec spec() {
        return new InstanceSpec(
                null,
                ServerPorts.next(),
                -1,
                -1,
                true,
                -1,
                TICK_MILLIS,
                1000,
                Map.of("maxSessionTimeout", "60000"),
                "127.0.0.1");
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        // The usual minute between two looks for empty containers is too long for a test.
        System.setProperty("znode.container.checkIntervalMs", "1000");
        System.setProperty("zookeeper.forceSync", "no");
        server = new TestingServer(spec(), true);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        server.close();
    }

    String address() {
        return server.getConnectString();
    }

    /** Requests that it has had. */
    long received() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return said.lines()
                    .filter(line -> line.startsWith("Received: "))
                    .mapToLong(line -> Long.parseLong(line.substring("Received: ".length())))
                    .findFirst()
                    .orElseThrow();
        }
    }

    TestingServer testing() {
        return server;
    }
}
