package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One browser that listens. What it has not taken yet waits here, up to a limit; past it the browser is dropped, and comes back for a
 * fresh start by itself. Its thread is the only one that writes to the connection, so a browser that does not read holds up nobody.
 *
 * <p>{@code pending}, {@code pendingBytes}, {@code ended}, {@code writing} and {@code lastStepNanos} are guarded by this; no I/O happens under it.
 */
public final class Viewer {
    /** Two full lists of ten thousand locks, and a lot of changes. The events are shared by all viewers. */
    private static final long MOST_PENDING_BYTES = 16L << 20;

    /**
     * The JDK's stream copies what it is given into a buffer of twice its length, for each connection, unless the reply is chunked. A
     * list of ten thousand locks for sixty browsers at once was more than the memory of the process.
     */
    private static final int SLICE_BYTES = 16 << 10;

    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] COME_BACK_SOON = "retry: 1000\n\n".getBytes(StandardCharsets.US_ASCII);

    private final EventHub hub;
    private final HttpExchange exchange;
    private final Thread thread;
    private final Deque<byte[]> pending = new ArrayDeque<>();
    private long pendingBytes;
    private boolean ended;
    private boolean writing;
    private long lastStepNanos;
    /** Set once, by its thread, before it leaves the hub. */
    private volatile boolean over;

    Viewer(EventHub hub, HttpExchange exchange) {
        this.hub = hub;
        this.exchange = exchange;
        this.thread = new Thread(this::run, "holdfast-web-viewer");
        this.thread.setDaemon(true);
        this.lastStepNanos = hub.nanoTime();
    }

    /**
     * From now on it gets what is published, beginning with these. Does no I/O: call it under the lock under which you publish, and
     * nothing is missed or told twice.
     */
    public void join(List<Event> first) {
        offer(COME_BACK_SOON);
        first.forEach(event -> offer(event.bytes()));
        hub.joined(this);
    }

    void start() {
        thread.start();
    }

    void offer(byte[] event) {
        boolean tooMuch;
        synchronized (this) {
            pending.addLast(event);
            pendingBytes += event.length;
            // What is first in line may be as long as it likes: nobody gets in with less than the whole.
            tooMuch = pendingBytes - event.length > MOST_PENDING_BYTES;
            notifyAll();
        }
        if (tooMuch) {
            drop();
        }
    }

    /** Called now and then. Drops a browser that has taken nothing for too long, and shows the others that we are there. */
    void check(long stuckNanos, long quietNanos) {
        boolean stuck;
        boolean quiet;
        synchronized (this) {
            long passed = hub.nanoTime() - lastStepNanos;
            stuck = writing && passed > stuckNanos;
            quiet = !writing && pending.isEmpty() && passed > quietNanos;
        }
        if (stuck) {
            drop();
        } else if (quiet) {
            offer(HEARTBEAT);
        }
    }

    /** An interrupt closes the channel, even under a write that would never end. */
    void drop() {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        thread.interrupt();
    }

    void awaitEnd(long millis) throws InterruptedException {
        thread.join(millis);
    }

    private void run() {
        try (OutputStream out = exchange.getResponseBody()) {
            byte[] next = next();
            while (next != null) {
                writeInSlices(out, next);
                next = next();
            }
        } catch (IOException | InterruptedException gone) {
            // The browser went, or was dropped: nothing is left to be told.
            return;
        } finally {
            over = true;
            hub.left(this);
            exchange.close();
        }
    }

    private static void writeInSlices(OutputStream out, byte[] event) throws IOException {
        for (int from = 0; from < event.length; from += SLICE_BYTES) {
            out.write(event, from, Math.min(SLICE_BYTES, event.length - from));
        }
        out.flush();
    }

    boolean isOver() {
        return over;
    }

    /** Null at the end. Nothing is under way while it waits. */
    private synchronized byte @Nullable [] next() throws InterruptedException {
        writing = false;
        lastStepNanos = hub.nanoTime();
        while (pending.isEmpty() && !ended) {
            wait();
        }
        byte[] next = ended ? null : pending.removeFirst();
        if (next != null) {
            pendingBytes -= next.length;
        }
        // The end is written too: it counts until the thread is over.
        writing = true;
        lastStepNanos = hub.nanoTime();
        return next;
    }
}
