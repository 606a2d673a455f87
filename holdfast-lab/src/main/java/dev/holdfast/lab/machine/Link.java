package dev.holdfast.lab.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The way from one client to one server, through a port of our own, so that it can be cut: then nobody answers at that port.
 * {@link #cut}, {@link #mend} and {@link #close} are for one thread at a time.
 */
public final class Link implements AutoCloseable {
    private static final int BACKLOG = 50;
    private static final int BUFFER_BYTES = 8192;
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    private final int port;
    private final int target;
    private @Nullable Way way;

    Link(int port, int target) throws IOException {
        this.port = port;
        this.target = target;
        mend();
    }

    public int port() {
        return port;
    }

    /** Breaks every connection; new ones are refused until {@link #mend}. Does nothing if it is cut. */
    public void cut() throws IOException {
        if (way != null) {
            way.close();
            way = null;
        }
    }

    /** Does nothing if it is whole. */
    public void mend() throws IOException {
        if (way == null) {
            way = new Way(port, target);
        }
    }

    @Override
    public void close() throws IOException {
        cut();
    }

    /** All connections between two cuts. */
    private static final class Way {
        private final int target;
        private final ServerSocket entrance = new ServerSocket();
        // Guards closed, and that no connection is added while all are being closed.
        private final ReentrantLock lock = new ReentrantLock();
        private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
        private boolean closed;
        private final Thread accepting;

        Way(int port, int target) throws IOException {
            this.target = target;
            // Connections that have just been closed must not keep the port from us.
            entrance.setReuseAddress(true);
            entrance.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
            accepting = start(this::accept);
        }

        private void accept() throws IOException {
            while (true) {
                Socket client = entrance.accept();
                Socket server;
                try {
                    server = new Socket(InetAddress.getLoopbackAddress(), target);
                } catch (IOException nobodyThere) {
                    client.close();
                    continue;
                }
                // Otherwise requests wait for acknowledgements of the ones before, and everything takes 40 ms.
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                if (join(client, server)) {
                    start(() -> pump(client, server));
                    start(() -> pump(server, client));
                } else {
                    client.close();
                    server.close();
                }
            }
        }

        private boolean join(Socket client, Socket server) {
            lock.lock();
            try {
                if (!closed) {
                    sockets.add(client);
                    sockets.add(server);
                }
                return !closed;
            } finally {
                lock.unlock();
            }
        }

        private void pump(Socket from, Socket to) throws IOException {
            byte[] buffer = new byte[BUFFER_BYTES];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                }
            } finally {
                sockets.remove(from);
                sockets.remove(to);
            }
        }

        void close() throws IOException {
            entrance.close();
            awaitClosed();
            lock.lock();
            try {
                closed = true;
                for (Socket socket : sockets) {
                    socket.close();
                }
            } finally {
                lock.unlock();
            }
        }

        /** The system goes on taking connections for as long as a thread has not noticed that it need not wait for one any more. */
        private void awaitClosed() {
            try {
                accepting.join(LONGEST_WAIT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private interface Work {
            void run() throws IOException;
        }

        private static Thread start(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException ended) {
                    // One side hung up, or the link was cut.
                }
            });
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
    }
}
