package dev.holdfast.cli.run;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the lock. On a terminal it shows who holds it; otherwise it prints nothing. */
final class LockWait {
    private static final long TICK_MILLIS = 1000;

    private final Holdfast holdfast;
    private final String name;
    private final boolean withoutLimit;
    private final RunEnvironment surroundings;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final long since = System.nanoTime();
    private CompletableFuture<Void> question = CompletableFuture.completedFuture(null);
    private boolean shown;
    private boolean warned;

    LockWait(
            Holdfast holdfast,
            String name,
            boolean withoutLimit,
            RunEnvironment surroundings,
            BlockingQueue<Event> events,
            Console console) {
        this.holdfast = holdfast;
        this.name = name;
        this.withoutLimit = withoutLimit;
        this.surroundings = surroundings;
        this.events = events;
        this.console = console;
    }

    /** Returns when the request is answered, with null, or the signal that ends the waiting. */
    Event.@Nullable Signalled until(Future<?> wanted) throws InterruptedException {
        try {
            if (surroundings.mentions(name)) {
                ask();
            }
            while (!wanted.isDone()) {
                Event event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
                if (event instanceof Event.Signalled signal) {
                    return signal;
                } else if (event instanceof Event.HolderSeen seen) {
                    seen.state().ifPresent(this::onHolderSeen);
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

    /** On another thread: a store that hangs must not keep us from noticing a signal. */
    private void ask() {
        if (question.isDone()) {
            question = CompletableFuture.runAsync(() -> events.add(new Event.HolderSeen(holder())));
        }
    }

    private Optional<LockState> holder() {
        try {
            return holdfast.inspect(name);
        } catch (InterruptedException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private void onHolderSeen(LockState state) {
        if (surroundings.includes(state)) {
            String us =
                    "Lock '" + name + "' is held by process " + state.holder().pid() + ", which started this command";
            if (withoutLimit) {
                throw new CliException(
                        ExitCode.USAGE,
                        us
                                + ": the two would wait for each other for ever. Remove one of them, use another name, or limit"
                                + " the waiting (--wait, --no-wait).");
            }
            if (!warned) {
                warned = true;
                console.note(us + ".");
            }
        }
        if (console.showsProgress()) {
            show(state);
        }
    }

    private void show(LockState state) {
        shown = true;
        Duration waited = Duration.ofNanos(System.nanoTime() - since);
        Duration held = Duration.between(state.since(), Instant.now());
        console.progress("Waiting for '" + name + "' for " + Durations.text(waited) + ": held for "
                + Durations.text(held) + " by " + state.holder());
    }
}
