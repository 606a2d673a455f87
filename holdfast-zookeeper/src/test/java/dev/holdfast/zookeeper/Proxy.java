package dev.holdfast.zookeeper;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Stands on one port in front of another. Frozen, it carries nothing and hangs up on nobody: as a broken network does. */
final class Proxy implements Closeable {
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ServerSocket listening;
    private final int target;
    private final boolean betweenServers;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition thawed = lock.newCondition();
    private boolean frozen;
    private boolean mute;
    private volatile boolean closed;

    /** @param betweenServers frozen, it turns new connections away at once, so that nobody waits for them to time out */
    Proxy(int target, boolean betweenServers) throws IOException {
        this.target = target;
        this.betweenServers = betweenServers;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    boolean isUsed() {
        return sockets.stream().anyMatch(socket -> !socket.isClosed());
    }

    /** Breaks every connection there is. */
    void hangUpOnAll() {
        sockets.forEach(this::hangUp);
    }

    void freeze() {
        set(true, false);
    }

    /** Requests get through, answers do not. */
    void freezeAnswers() {
        set(false, true);
    }

    void thaw() {
        set(false, false);
    }

    private void set(boolean all, boolean answers) {
        lock.lock();
        try {
            frozen = all;
            mute = answers;
            thawed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isFrozen() {
        lock.lock();
        try {
            return frozen;
        } finally {
            lock.unlock();
        }
    }

    private void passWhenThawed(boolean answers) throws InterruptedException {
        lock.lock();
        try {
            while (frozen || (answers && mute)) {
                thawed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket here = listening.accept();
                sockets.add(here);
                start(() -> connect(here));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket here) {
        try {
            if (betweenServers && isFrozen()) {
                hangUp(here);
                return;
            }
            passWhenThawed(false);
            Socket there = reach();
            // Or every small packet waits for 40 ms.
            here.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            sockets.add(there);
            start(() -> carry(there, here, true));
            carry(here, there, false);
        } catch (IOException | InterruptedException e) {
            hangUp(here);
        }
    }

    /**
     * A server listens to followers a moment after it was elected. One that is refused tries again; one that is hung up on
     * begins another election, while the leader waits for it in vain, for as long as initLimit says.
     */
    private Socket reach() throws IOException {
        long started = System.nanoTime();
        while (true) {
            try {
                return new Socket(InetAddress.getLoopbackAddress(), target);
            } catch (ConnectException refused) {
                if (!betweenServers || closed || isFrozen() || System.nanoTime() - started > SOON_NANOS) {
                    throw refused;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
    }

    private void carry(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                passWhenThawed(answers);
                out.write(buffer, 0, n);
            }
            // The end of a connection is also something that a broken network does not carry.
            passWhenThawed(answers);
        } catch (IOException | InterruptedException e) {
            hangUp(from);
        } finally {
            hangUp(from);
            hangUp(to);
        }
    }

    private void hangUp(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listening.close();
        thaw();
        hangUpOnAll();
    }
}
