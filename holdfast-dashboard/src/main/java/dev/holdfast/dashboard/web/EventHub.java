package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends events to all browsers that listen. Publishing never blocks: each browser has a thread and a bounded line of its own, and one
 * that does not read is dropped. There is a limit to how many may listen. Safe for use by many threads.
 */
public final class EventHub implements AutoCloseable {
    private static final int TOO_MANY = 503;
    private static final Duration STUCK = Duration.ofSeconds(20);
    private static final Duration QUIET = Duration.ofSeconds(10);
    private static final long CLOSING_MILLIS = 2000;

    private final int most;
    private final Duration stuck;
    private final Duration quiet;
    private final Runnable audienceChanged;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    /** Those that listen, and those that are about to: what the limit counts. */
    private final AtomicInteger admitted = new AtomicInteger();

    private final AtomicBoolean closed = new AtomicBoolean();
    private final ScheduledExecutorService clock;

    /**
     * Nobody listens yet.
     *
     * @param most how many may listen at once: each costs a thread
     * @param audienceChanged called when somebody has come or gone, on whatever thread; must not block
     */
    public EventHub(int most, Runnable audienceChanged) {
        this(most, audienceChanged, STUCK, QUIET);
    }

    EventHub(int most, Runnable audienceChanged, Duration stuck, Duration quiet) {
        this.most = most;
        this.audienceChanged = audienceChanged;
        this.stuck = stuck;
        this.quiet = quiet;
        this.clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "holdfast-web-clock");
            thread.setDaemon(true);
            return thread;
        });
        long every = Math.max(1, Math.min(stuck.toMillis(), quiet.toMillis()) / 4);
        var unused = clock.scheduleWithFixedDelay(this::checkAll, every, every, TimeUnit.MILLISECONDS);
    }

    /** How many listen. */
    public int audience() {
        return viewers.size();
    }

    /** Tells everybody who has joined. Never blocks. */
    public void publish(Event event) {
        for (Viewer each : viewers) {
            each.offer(event.bytes());
        }
    }

    /** Lets a browser listen; it hears nothing before it has {@linkplain Viewer#join joined}. Null if it was turned away. */
    @Nullable
    Viewer accept(HttpExchange exchange) throws IOException {
        if (!admit()) {
            Site.send(
                    exchange,
                    Reply.refusal(
                                    TOO_MANY,
                                    "Too many pages are open: " + most
                                            + " may look at once. Close some, or raise the limit.")
                            .with("Retry-After", "10"));
            return null;
        }
        boolean started = false;
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            // Proxies that gather a reply before they pass it on would gather for ever.
            exchange.getResponseHeaders().set("X-Accel-Buffering", "no");
            exchange.sendResponseHeaders(200, 0);
            Viewer viewer = new Viewer(this, exchange);
            viewer.start();
            started = true;
            return viewer;
        } finally {
            if (!started) {
                admitted.decrementAndGet();
            }
        }
    }

    private boolean admit() {
        if (closed.get()) {
            return false;
        }
        if (admitted.incrementAndGet() > most) {
            admitted.decrementAndGet();
            return false;
        }
        return true;
    }

    void joined(Viewer viewer) {
        viewers.add(viewer);
        // It may have ended before it joined, and left before it was here.
        if (viewer.isOver()) {
            viewers.remove(viewer);
        }
        if (closed.get()) {
            viewer.drop();
        }
        audienceChanged.run();
    }

    void left(Viewer viewer) {
        admitted.decrementAndGet();
        viewers.remove(viewer);
        audienceChanged.run();
    }

    long nanoTime() {
        return System.nanoTime();
    }

    private void checkAll() {
        viewers.forEach(each -> each.check(stuck.toNanos(), quiet.toNanos()));
    }

    /** Cuts everybody off, and waits a moment for their threads. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        clock.shutdownNow();
        viewers.forEach(Viewer::drop);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSING_MILLIS);
        try {
            for (Viewer each : viewers) {
                each.awaitEnd(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
