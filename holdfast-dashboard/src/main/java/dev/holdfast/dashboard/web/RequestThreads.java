package dev.holdfast.dashboard.web;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that read and answer requests: a limited number, a short line before them, and a limited time for each request. A client that
 * sends half a request, or does not read its answer, keeps a thread no longer than that. Those who listen to events have threads of
 * their own, which is why the JDK's limit for answers ({@code sun.net.httpserver.maxRspTime}) is of no use: it would end them, too.
 *
 * <p>All threads are daemons. {@code beganNanos} is guarded by itself.
 */
final class RequestThreads extends ThreadPoolExecutor {
    private static final int LINE = 200;

    private final long longestNanos;
    private final Map<Thread, Long> beganNanos = new HashMap<>();
    private final ScheduledExecutorService clock;

    RequestThreads(int most, Duration longest) {
        super(most, most, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(LINE), daemons("holdfast-web-"));
        allowCoreThreadTimeOut(true);
        longestNanos = longest.toNanos();
        clock = Executors.newSingleThreadScheduledExecutor(daemons("holdfast-web-limit-"));
        var unused = clock.scheduleWithFixedDelay(
                this::endSlowOnes, longestNanos / 4, longestNanos / 4, TimeUnit.NANOSECONDS);
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable request) {
        synchronized (beganNanos) {
            beganNanos.put(thread, System.nanoTime());
        }
    }

    @Override
    protected void afterExecute(Runnable request, @Nullable Throwable failure) {
        synchronized (beganNanos) {
            beganNanos.remove(Thread.currentThread());
        }
    }

    /**
     * An interrupt closes the channel on which the thread reads or writes. Under the lock, so that it does not hit the next request of
     * that thread; one that comes after the last step of a request is cleared before the next.
     */
    private void endSlowOnes() {
        synchronized (beganNanos) {
            long now = System.nanoTime();
            beganNanos.forEach((thread, began) -> {
                if (now - began > longestNanos) {
                    thread.interrupt();
                }
            });
        }
    }

    @Override
    protected void terminated() {
        clock.shutdownNow();
    }
}
