package dev.holdfast.lab.machine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that are restarted: below those that the system lends to whoever connects, so nobody takes one meanwhile. */
final class FreePorts {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 30_000;
    private static final int TRIES = 1_000;

    private final Set<Integer> given = new HashSet<>();

    int next() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port) && given.add(port)) {
                return port;
            }
        }
        throw new IOException("No port from " + LOWEST + " to " + HIGHEST + " is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
