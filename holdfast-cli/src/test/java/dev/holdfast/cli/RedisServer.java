package dev.holdfast.cli;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;

/** A real Redis, for one test. */
final class RedisServer implements AutoCloseable {
    private final redis.embedded.RedisServer server;
    private final int port;

    private RedisServer(redis.embedded.RedisServer server, int port) {
        this.server = server;
        this.port = port;
    }

    static RedisServer start(Path directory, String... settings) throws IOException {
        int port = freePort();
        var builder = redis.embedded.RedisServer.builder()
                .port(port)
                .setting("bind 127.0.0.1")
                .setting("save \"\"")
                .setting("dir " + directory);
        for (String setting : settings) {
            builder.setting(setting);
        }
        redis.embedded.RedisServer server = builder.build();
        server.start();
        return new RedisServer(server, port);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    String url() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
