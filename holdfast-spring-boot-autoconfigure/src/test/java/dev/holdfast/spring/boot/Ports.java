package dev.holdfast.spring.boot;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that have to be told theirs. */
final class Ports {
    private Ports() {}

    /** Below those that the system lends to whoever connects, so that nobody is given it before the server listens there. */
    static int free() {
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
