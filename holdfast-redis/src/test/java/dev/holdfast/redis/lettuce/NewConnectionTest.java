package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server that dies accepts connections for a moment after it has broken the others, and then breaks those. */
class NewConnectionTest {
    /** Of a hundred attempts, two or three find the connection broken just before they ask something. */
    private static final int ATTEMPTS = 1000;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration AT_ONCE = Duration.ofSeconds(20);

    @Test
    void aServerThatDiesIsNotWaitedFor() throws Exception {
        try (ServerSocket dying = dying()) {
            connect(RedisURI.create("redis://127.0.0.1:" + dying.getLocalPort()));
        }
    }

    @Test
    void aSentinelThatDiesIsNotWaitedFor() throws Exception {
        try (ServerSocket dying = dying()) {
            connect(RedisURI.create("redis-sentinel://127.0.0.1:" + dying.getLocalPort() + "#shop"));
        }
    }

    /** Each attempt fails long before the time is over that an answer may take. */
    private static void connect(RedisURI uri) throws Exception {
        LettuceNode node = LettuceClients.node(null, uri, TIMEOUT, Keys.standard());
        try {
            for (int i = 0; i < ATTEMPTS; i++) {
                CompletableFuture<Boolean> failed = node.connectAsync().handle((connected, failure) -> failure != null);
                assertThat(failed.get(AT_ONCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            node.close();
        }
    }

    /** Breaks each connection that it accepts. */
    private static ServerSocket dying() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket connection = server.accept()) {
                    connection.setSoLinger(true, 0);
                } catch (IOException closed) {
                    // Accepts the next one, if it is still open.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }
}
