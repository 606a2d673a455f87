package dev.holdfast.redis.node;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Watches the hand-overs that this process made: a waiter that was given the lock and does not claim it within the claim window
 * must not cost the next one a whole lease. Likewise the locks that it released for later: those who waited before were told
 * of another end. One timer for each name; a hand-over while it runs only moves it.
 */
public final class HandOverWatch {
    private static final class Timer {
        volatile long dueNanos;
        /** When it runs next: not after it is due, unless it was moved to an earlier time since. */
        volatile long runsNanos;

        Timer(long dueNanos) {
            this.dueNanos = dueNanos;
            this.runsNanos = dueNanos;
        }
    }

    private final Environment environment;
    private final Duration window;
    private final Function<String, CompletionStage<Long>> look;
    private final ConcurrentHashMap<String, Timer> timers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * For one server.
     *
     * @param look hands over again if the lock is absent; answers after how many milliseconds to look again, or zero
     */
    public HandOverWatch(Environment environment, Duration window, Function<String, CompletionStage<Long>> look) {
        this.environment = environment;
        this.window = window;
        this.look = look;
    }

    /**
     * The lock was handed over before the answer came, for a claim window of that length by the server's clock. So the window is
     * over when that time has passed here. Zero: it was not handed over.
     */
    public void handedOver(String name, long windowMillis) {
        lookAfter(name, windowMillis);
    }

    /** The lock was released before the answer came, and is free after that time by the server's clock; somebody waits for it. */
    public void freeAfter(String name, long millis) {
        lookAfter(name, millis);
    }

    private void lookAfter(String name, long millis) {
        if (millis <= 0 || closed) {
            return;
        }
        Duration length = Duration.ofMillis(millis + 1);
        long delay = length.toNanos() + Validity.driftNanos(length);
        long due = environment.nanoTime() + delay;
        Timer fresh = new Timer(due);
        Timer known = timers.putIfAbsent(name, fresh);
        if (known == null) {
            environment.schedule(delay, () -> fire(name, fresh));
        } else {
            // Racy, and benign: if it fires at this moment it looks too early, and is told when to look again.
            known.dueNanos = due;
            // A lock that was to be kept for long was broken, or released anew for a shorter time. If it is not there
            // any
            // more, somebody else has just looked or replaced it.
            if (due - known.runsNanos < 0 && timers.replace(name, known, fresh)) {
                environment.schedule(delay, () -> fire(name, fresh));
            }
        }
    }

    private void fire(String name, Timer timer) {
        long due = timer.dueNanos;
        long left = due - environment.nanoTime();
        if (closed || timers.get(name) != timer) {
            return;
        }
        if (left > 0) {
            timer.runsNanos = due;
            environment.schedule(left, () -> fire(name, timer));
            return;
        }
        if (!timers.remove(name, timer)) {
            return;
        }
        look.apply(name).whenComplete((again, failure) -> {
            if (failure == null) {
                handedOver(name, again);
            } else if (!(failure instanceof RefusedException)) {
                handedOver(name, window.toMillis());
            }
        });
    }

    public void close() {
        closed = true;
        timers.clear();
    }
}
