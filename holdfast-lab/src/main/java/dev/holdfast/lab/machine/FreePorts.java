package dev.holdfast.lab.machine;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Ports for servers that are restarted and links that are cut: below those that the system lends to whoever connects, so nobody
 * takes one meanwhile. Datagrams have ports of their own. Whoever has that one may have the other: so two labs that start at
 * the same time, or other programs that do the same, do not choose the same port before it is in use. For one thread at a time.
 */
final class FreePorts implements AutoCloseable {
    private static final int LOWEST = 10_000;
    private static final int HIGHEST = 12_000;
    private static final int TRIES = 1_000;

    private final Map<Integer, DatagramSocket> given = new HashMap<>();

    int next() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            DatagramSocket reserved = reserve(port);
            if (reserved != null && isFree(port)) {
                given.put(port, reserved);
                return port;
            }
            if (reserved != null) {
                reserved.close();
            }
        }
        throw new IOException("No port from " + LOWEST + " to " + HIGHEST + " is free");
    }

    private static @Nullable DatagramSocket reserve(int port) {
        try {
            return new DatagramSocket(port, InetAddress.getLoopbackAddress());
        } catch (SocketException taken) {
            return null;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    @Override
    public void close() {
        given.values().forEach(DatagramSocket::close);
    }
}
