package dev.holdfast.proving.machine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** Notes when this process should have run and did not. */
public final class StallWatch implements AutoCloseable {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** What is shorter is part of life. */
    private static final long WORTH_NOTING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final BiConsumer<Long, Long> stalled;
    private volatile boolean closed;

    /**
     * Starts to watch.
     *
     * @param stalled told from when to when, on the thread of the watch
     */
    public StallWatch(BiConsumer<Long, Long> stalled) {
        this.stalled = stalled;
        Thread thread = new Thread(this::watch, "proving-stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            long asleep = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            long now = System.nanoTime();
            if (now - asleep - NAP_NANOS > WORTH_NOTING_NANOS) {
                stalled.accept(asleep + NAP_NANOS, now);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
