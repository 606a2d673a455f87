package dev.holdfast.jdbc.wakeup;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Receives the datagrams of {@link WakeUpSocket} on one thread, which is there while somebody waits. */
public final class LoopbackInbox implements Inbox {
    /** How often the thread looks whether anybody still waits. */
    private static final int LOOK_UP_MILLIS = 10_000;
    /** The thread ends when nobody has waited for this long. */
    private static final long LINGER_NANOS = 30_000_000_000L;

    private final WakeUpSocket socket;
    private final Environment environment;
    private final Events events;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile long wantedNanos;
    // Closed, or there is no interface to receive on.
    private volatile boolean over;

    public LoopbackInbox(WakeUpSocket socket, Environment environment, Events events) {
        this.socket = socket;
        this.environment = environment;
        this.events = events;
    }

    /** Empty while nobody receives. */
    @Override
    public String address() {
        return running.get() ? socket.address() : "";
    }

    @Override
    public void waiting(String name, boolean addressed) {
        wantedNanos = environment.nanoTime();
        if (start() && !addressed) {
            events.maybeFree(name);
        }
    }

    /** Whether somebody receives now. */
    private boolean start() {
        if (running.get()) {
            return true;
        }
        if (over
                || (socket.address().isEmpty()
                        && !socket.listen(environment.random().nextLong()))) {
            return false;
        }
        if (!running.compareAndSet(false, true)) {
            return true;
        }
        try {
            environment.blocking().execute(this::run);
            return true;
        } catch (RejectedExecutionException e) {
            running.set(false);
            return false;
        }
    }

    private void run() {
        try {
            while (!over && environment.nanoTime() - wantedNanos < LINGER_NANOS) {
                receive();
            }
        } catch (IOException e) {
            over = true;
        } finally {
            running.set(false);
        }
    }

    private void receive() throws IOException {
        try {
            String name = socket.receive(LOOK_UP_MILLIS);
            if (name != null) {
                events.maybeFree(name);
            }
        } catch (SocketTimeoutException nobodyToldUs) {
            // Look whether to go on.
        }
    }

    @Override
    public void close() {
        over = true;
        socket.close();
    }
}
