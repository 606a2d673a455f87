package dev.holdfast.examples.orders;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** A real PostgreSQL for a test class. */
final class Postgres {
    private Postgres() {}

    static EmbeddedPostgres start() throws IOException {
        return EmbeddedPostgres.builder()
                .setPort(freePort())
                .setPGStartupWait(Duration.ofMinutes(3))
                .start();
    }

    /** Below the ports that the system lends to whoever connects: seconds pass before the server listens there. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(5_500, 10_000);
            if (isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
