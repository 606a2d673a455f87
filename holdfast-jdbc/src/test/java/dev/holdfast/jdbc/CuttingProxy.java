package dev.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a client and a server, and can swallow an answer and cut the connection instead. */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket server;
    private final int target;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicInteger toSwallow = new AtomicInteger();
    private final AtomicInteger swallowed = new AtomicInteger();

    CuttingProxy(int target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** The next answers do not arrive: the server has carried out what was asked, and nobody hears of it. */
    void swallowAnswers(int count) {
        toSwallow.set(count);
    }

    int swallowed() {
        return swallowed.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                threads.execute(() -> pump(client, upstream, false));
                threads.execute(() -> pump(upstream, client, true));
            }
        } catch (IOException | RejectedExecutionException closed) {
            // The test is over.
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[16 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (answers && toSwallow.get() > 0 && toSwallow.getAndDecrement() > 0) {
                    swallowed.incrementAndGet();
                    return;
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException cut) {
            // So is the other direction.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
