package dev.holdfast.dashboard.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds how fast passwords can be tried. All browsers together: whoever guesses has more than one address. Safe for use by many
 * threads; the queue is guarded by this.
 */
final class Attempts {
    private static final int MOST_FAILURES = 10;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final Deque<Long> failures = new ArrayDeque<>();

    Attempts(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    synchronized boolean mayTry() {
        long now = nanoTime.getAsLong();
        while (!failures.isEmpty() && now - failures.getFirst() > WINDOW_NANOS) {
            failures.removeFirst();
        }
        return failures.size() < MOST_FAILURES;
    }

    synchronized void failed() {
        failures.addLast(nanoTime.getAsLong());
    }
}
