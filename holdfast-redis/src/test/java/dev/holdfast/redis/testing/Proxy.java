package dev.holdfast.redis.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ServerSocketFactory;

/** A way to a server that can be cut and held up. */
public final class Proxy implements AutoCloseable {
    /** Where each of them leads, by port. */
    private static final Map<Integer, Integer> TARGETS = new ConcurrentHashMap<>();

    private final int target;
    private final ServerSocket entrance;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    // Guards held; its condition is signalled when that changes.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean requestsHeld;
    private volatile boolean refusing;
    private volatile int stranded;
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicReference<Trap> trap = new AtomicReference<>();

    private record Trap(String text, Runnable action) {}

    public Proxy(int target) {
        this(target, ServerSocketFactory.getDefault());
    }

    /** @param sockets what clients connect to: with TLS, for example */
    public Proxy(int target, ServerSocketFactory sockets) {
        this.target = target;
        try {
            entrance = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TARGETS.put(port(), target);
        start(this::accept);
    }

    /** The port of the server behind this one; this one if it is no proxy's. */
    public static int targetOf(int port) {
        return TARGETS.getOrDefault(port, port);
    }

    public int port() {
        return entrance.getLocalPort();
    }

    public String url() {
        return "redis://127.0.0.1:" + entrance.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = entrance.accept();
            if (refusing) {
                client.close();
                continue;
            }
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
            sockets.add(client);
            sockets.add(server);
            if (refusing) {
                // Cut meanwhile, by somebody who did not see these two.
                client.close();
                server.close();
                continue;
            }
            int number = accepted.incrementAndGet();
            start(() -> pump(number, client, server, true));
            start(() -> pump(number, server, client, false));
        }
    }

    private void pump(int number, Socket from, Socket to, boolean requests) throws IOException {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (requests) {
                    awaitPassage();
                    spring(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
                }
                if (number > stranded) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void spring(String request) {
        Trap set = trap.get();
        if (set != null && request.contains(set.text) && trap.compareAndSet(set, null)) {
            set.action.run();
        }
    }

    /** Does that once, when the next request with this text arrives and before it is passed on. */
    public void whenNext(String text, Runnable action) {
        trap.set(new Trap(text, action));
    }

    private void awaitPassage() {
        lock.lock();
        try {
            while (requestsHeld) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Requests that are sent from here on wait on the way, in order, until {@link #letThrough}. Answers still pass. */
    public void holdRequests() {
        setHeld(true);
    }

    public void letThrough() {
        setHeld(false);
    }

    private void setHeld(boolean held) {
        lock.lock();
        try {
            requestsHeld = held;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What stands now stays open and carries nothing any more, as behind a firewall that forgot it. New ones work. */
    public void strand() {
        stranded = accepted.get();
    }

    /** Takes connections and requests, and carries nothing, until {@link #mend}. What stood before stays dead then. */
    public void swallow() {
        stranded = Integer.MAX_VALUE;
    }

    /** Breaks every connection; new ones are refused until {@link #mend}. */
    public void cut() {
        refusing = true;
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public void mend() {
        refusing = false;
        stranded = Math.min(stranded, accepted.get());
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException ended) {
                // The other side hung up, which is what this class is for.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        letThrough();
        entrance.close();
        cut();
    }
}
