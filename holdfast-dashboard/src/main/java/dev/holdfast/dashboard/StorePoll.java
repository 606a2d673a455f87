package dev.holdfast.dashboard;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockState;
import dev.holdfast.spi.Secrets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that asks the store which locks are held, for all browsers together, and only while one of them listens. It waits
 * after each answer for at least the pause, and for four times as long as the answer took: however large or slow the store is, at most a
 * fifth of its time is spent on this.
 *
 * <p>{@code closed}, {@code wanted} and {@code took} are guarded by this; no I/O happens under it.
 */
final class StorePoll implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorePoll.class);
    private static final int SHARE = 4;
    private static final int KEPT_TIMES = 60;

    private final Holdfast holdfast;
    private final LockBoard board;
    private final BooleanSupplier somebodyLooks;
    private final int limit;
    private final Duration pause;
    private final Thread thread;
    private final Deque<Long> took = new ArrayDeque<>();
    private boolean closed;
    private boolean wanted;

    StorePoll(Holdfast holdfast, LockBoard board, BooleanSupplier somebodyLooks, int limit, Duration pause) {
        this.holdfast = holdfast;
        this.board = board;
        this.somebodyLooks = somebodyLooks;
        this.limit = limit;
        this.pause = pause;
        this.thread = new Thread(this::run, "holdfast-dashboard");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Somebody has come or gone. */
    synchronized void audienceChanged() {
        notifyAll();
    }

    /** Something was changed here: look as soon as may be. */
    synchronized void lookSoon() {
        wanted = true;
        notifyAll();
    }

    private void run() {
        try {
            while (awaitAudience()) {
                pauseAfter(look());
            }
        } catch (InterruptedException closing) {
            return;
        }
    }

    private synchronized boolean awaitAudience() throws InterruptedException {
        while (!closed && !somebodyLooks.getAsBoolean()) {
            wait();
        }
        return !closed;
    }

    private long pauseNanos(long tookNanos) {
        return Math.max(pause.toNanos(), SHARE * tookNanos);
    }

    private synchronized void pauseAfter(long nanos) throws InterruptedException {
        long end = System.nanoTime() + pauseNanos(nanos);
        wanted = false;
        long left = end - System.nanoTime();
        while (!closed && !wanted && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
    }

    /** Returns how long the store took. What is made of its answer is not its time. */
    private long look() throws InterruptedException {
        long asked = System.nanoTime();
        try {
            List<LockState> states = holdfast.list("", limit);
            long nanos = System.nanoTime() - asked;
            remember(TimeUnit.NANOSECONDS.toMicros(nanos));
            board.update(states, states.size() < limit, Duration.ofNanos(nanos), Duration.ofNanos(pauseNanos(nanos)));
            return nanos;
        } catch (HoldfastException e) {
            board.failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            tell(e);
        }
        return System.nanoTime() - asked;
    }

    /**
     * The next look may succeed, and the page says that this one did not. That is so for errors too: memory may be short for a moment, and
     * without this thread the pages would show for ever what was true then.
     */
    private void tell(Throwable failure) {
        try {
            LOG.warn("The held locks could not be listed", Secrets.mask(failure));
            board.failed("The held locks could not be listed. The log says why.");
        } catch (RuntimeException | Error again) {
            // Not even that. The pages say themselves that they have heard nothing for a while.
            return;
        }
    }

    private synchronized void remember(long micros) {
        took.addLast(micros);
        if (took.size() > KEPT_TIMES) {
            took.removeFirst();
        }
    }

    /** How long the last answers took, in microseconds, the newest last. */
    synchronized List<Long> times() {
        return List.copyOf(took);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        // A question that is under way ends with the interrupt.
        thread.interrupt();
    }
}
