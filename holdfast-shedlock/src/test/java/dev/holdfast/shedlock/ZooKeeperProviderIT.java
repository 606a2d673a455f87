package dev.holdfast.shedlock;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.util.UUID;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ZooKeeperProviderIT extends ProviderContract {
    private static TestingServer server;

    private final String namespace = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    LockBackend newClient() {
        return ZooKeeperBackend.builder(server.getConnectString())
                .namespace(namespace)
                .connect();
    }
}
