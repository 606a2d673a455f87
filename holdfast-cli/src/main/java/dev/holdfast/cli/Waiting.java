package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The time before the lock is ours. On a terminal it says who holds it; elsewhere it is silent. */
final class Waiting {
    private static final long TICK_MILLIS = 1000;

    private final Holdfast holdfast;
    private final String name;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final long since = System.nanoTime();
    private CompletableFuture<Void> question = CompletableFuture.completedFuture(null);
    private boolean shown;

    Waiting(Holdfast holdfast, String name, BlockingQueue<Event> events, Console console) {
        this.holdfast = holdfast;
        this.name = name;
        this.events = events;
        this.console = console;
    }

    /** Returns when the request is answered, with null, or the signal that ends the waiting. */
    Event.@Nullable Signalled until(Future<?> wanted) throws InterruptedException {
        try {
            while (!wanted.isDone()) {
                Event event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
                if (event instanceof Event.Signalled signal) {
                    return signal;
                } else if (event instanceof Event.Seen seen) {
                    seen.state().ifPresent(this::show);
                } else if (event == null && console.showsProgress()) {
                    ask();
                }
            }
            return null;
        } finally {
            if (shown) {
                console.clearProgress();
            }
        }
    }

    /** Elsewhere than here: a store that hangs must not keep us from hearing a signal. */
    private void ask() {
        if (question.isDone()) {
            question = CompletableFuture.runAsync(() -> events.add(new Event.Seen(holder())));
        }
    }

    private Optional<LockState> holder() {
        try {
            return holdfast.inspect(name);
        } catch (InterruptedException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private void show(LockState state) {
        shown = true;
        Duration waited = Duration.ofNanos(System.nanoTime() - since);
        Duration held = Duration.between(state.since(), Instant.now());
        console.progress("Waiting for '" + name + "' for " + Spans.text(waited) + ": held for " + Spans.text(held)
                + " by " + state.holder());
    }
}
