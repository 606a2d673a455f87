package dev.holdfast.proving.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * All ways from clients to servers, through ports of our own. One thread carries what goes over them, however many connections a library
 * opens. Only that thread touches links and connections; others hand it work and wait.
 */
public final class Network implements AutoCloseable {
    private static final int BACKLOG = 200;
    private static final long LOOK_MILLIS = 200;
    private static final long PATIENCE_SECONDS = 30;

    private final Selector selector;
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    private final List<Link> links = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closed;

    public Network() throws IOException {
        selector = Selector.open();
        thread = new Thread(this::run, "proving-network");
        thread.setDaemon(true);
        thread.start();
    }

    /** A new way to the server at this port of this machine. */
    public Link link(int target) throws IOException {
        ServerSocketChannel entrance = ServerSocketChannel.open();
        entrance.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        entrance.configureBlocking(false);
        Link link = new Link(this, entrance, target);
        carryOut(() -> {
            try {
                var unused = entrance.register(selector, SelectionKey.OP_ACCEPT, link);
                links.add(link);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return link;
    }

    /** Has the network's thread do this, and waits until it has. */
    void carryOut(Runnable task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        work.add(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        selector.wakeup();
        done.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(this::serve, untilNextIsDue());
                for (Runnable task = work.poll(); task != null; task = work.poll()) {
                    task.run();
                }
                long now = System.nanoTime();
                links.forEach(link -> link.carry(now));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            links.forEach(Link::closeAll);
        }
    }

    private long untilNextIsDue() {
        long now = System.nanoTime();
        long nanos = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
        for (Link link : links) {
            nanos = Math.min(nanos, link.nanosUntilDue(now));
        }
        // Zero would mean to wait for ever.
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
    }

    private void serve(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        if (key.attachment() instanceof Link link) {
            link.accept(selector);
        } else if (key.attachment() instanceof Pipe pipe) {
            if (key.isReadable()) {
                pipe.read();
            }
            if (key.isValid() && key.isWritable()) {
                pipe.other().write(System.nanoTime());
            }
        }
    }

    static SocketChannel connect(int port) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Without a good-bye, as a broken machine does it. */
    static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException gone) {
            // Then it is closed as well as can be.
        }
        close(channel);
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // That is what was wanted.
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            selector.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
