package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Looks after hand-overs that this process made: a waiter that was given the lock and does not claim it within the window
 * must not cost the next one a whole lease. One timer for each name; a hand-over while it runs only moves it.
 */
final class Watches {
    private static final class Watch {
        volatile long dueNanos;

        Watch(long dueNanos) {
            this.dueNanos = dueNanos;
        }
    }

    private final Environment environment;
    private final Duration window;
    private final Function<String, CompletionStage<Long>> look;
    private final ConcurrentHashMap<String, Watch> watches = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param look runs the hand-over if the lock is absent; answers after how many milliseconds to look again, or zero */
    Watches(Environment environment, Duration window, Function<String, CompletionStage<Long>> look) {
        this.environment = environment;
        this.window = window;
        this.look = look;
    }

    /** The lock was lent for that long, by the server's clock, before the answer came: so after it the loan is over. */
    void lent(String name, long windowMillis) {
        if (windowMillis <= 0 || closed) {
            return;
        }
        Duration lent = Duration.ofMillis(windowMillis + 1);
        long delay = lent.toNanos() + Validity.driftNanos(lent);
        long due = environment.nanoTime() + delay;
        Watch fresh = new Watch(due);
        Watch known = watches.putIfAbsent(name, fresh);
        if (known == null) {
            environment.schedule(delay, () -> ring(name, fresh));
        } else {
            // Racy, and benign: if it rings at this moment it looks too early, and is told when to look again.
            known.dueNanos = due;
        }
    }

    private void ring(String name, Watch watch) {
        long left = watch.dueNanos - environment.nanoTime();
        if (left > 0 && !closed) {
            environment.schedule(left, () -> ring(name, watch));
            return;
        }
        watches.remove(name);
        if (closed) {
            return;
        }
        look.apply(name).whenComplete((again, failure) -> {
            if (failure == null) {
                lent(name, again);
            } else if (!(failure instanceof RefusedException)) {
                lent(name, window.toMillis());
            }
        });
    }

    void close() {
        closed = true;
        watches.clear();
    }
}
