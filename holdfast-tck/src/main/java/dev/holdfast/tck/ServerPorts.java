package dev.holdfast.tck;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of this machine for servers that tests start. */
public final class ServerPorts {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 22_000;
    private static final int BUS = 10_000;
    private static final int PATIENCE_MILLIS = 1_000;

    /** Open for as long as this process runs. */
    private static final Set<DatagramSocket> RESERVED = ConcurrentHashMap.newKeySet();

    private ServerPorts() {}

    /**
     * A port at which nobody listens, below those that the system lends to whoever connects. It belongs to this process until that
     * ends: a server can be restarted there, and no other process that asks here is given it meanwhile. The port 10 000 above it, where
     * the servers of a Redis cluster talk to each other, is free as well, and nobody is given it here.
     */
    public static int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (reserve(port) && !isTaken(port) && !isTaken(port + BUS)) {
                return port;
            }
        }
    }

    /** Datagrams have ports of their own: whoever has that one, in whatever process, may have the other. */
    private static boolean reserve(int port) {
        try {
            RESERVED.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
            return true;
        } catch (SocketException taken) {
            return false;
        }
    }

    /**
     * Asked by connecting. A socket that listens for a moment would be inherited by a process that another thread starts in that moment,
     * and the port would still be in use when the server comes.
     */
    private static boolean isTaken(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
