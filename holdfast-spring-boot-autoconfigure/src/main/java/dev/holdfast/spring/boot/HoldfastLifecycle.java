package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the {@link Holdfast} when the application ends: after the web server has answered its last request and schedulers and
 * listeners have stopped, and before the clients of stores stop. Of those only Redis's stops by itself, in phase zero; Hikari's
 * connections are closed there too.
 */
final class HoldfastLifecycle implements SmartLifecycle {
    /** The last phase before that of the clients. */
    static final int PHASE = 1;

    private final Holdfast holdfast;
    private volatile boolean running;
    private volatile boolean closed;

    HoldfastLifecycle(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    public void start() {
        if (closed) {
            throw new IllegalStateException(
                    "Holdfast was closed when this application context was stopped, and does not open"
                            + " again. Make a new context instead of starting a stopped one.");
        }
        running = true;
    }

    @Override
    public void stop() {
        closed = true;
        running = false;
        holdfast.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Asked by Spring 7, which pauses contexts that wait for the next test class. A Holdfast cannot be opened again. */
    @SuppressWarnings("UnusedMethod")
    public boolean isPauseable() {
        return false;
    }
}
