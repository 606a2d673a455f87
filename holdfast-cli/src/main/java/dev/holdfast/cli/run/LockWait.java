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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the lock. On a terminal it shows who holds it; otherwise it prints nothing. */
final class LockWait {
    private static final long TICK_MILLIS = 1000;

    private final Holdfast holdfast;
    private final Wanted wanted;
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
            Wanted wanted,
            boolean withoutLimit,
            RunEnvironment surroundings,
            BlockingQueue<Event> events,
            Console console) {
        this.holdfast = holdfast;
        this.wanted = wanted;
        this.withoutLimit = withoutLimit;
        this.surroundings = surroundings;
        this.events = events;
        this.console = console;
    }

    /** Returns when the request is answered, with null, or the signal that ends the waiting. */
    Event.@Nullable Signalled until(Future<?> answer) throws InterruptedException {
        try {
            if (surroundings.mentions(wanted.key())) {
                ask();
            }
            while (!answer.isDone()) {
                Event event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
                if (event instanceof Event.Signalled signal) {
                    return signal;
                } else if (event instanceof Event.HoldersSeen seen) {
                    onHoldersSeen(seen.states());
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
            question = CompletableFuture.runAsync(() -> events.add(new Event.HoldersSeen(holders())));
        }
    }

    private List<LockState> holders() {
        try {
            return holdfast.inspect(wanted.key());
        } catch (InterruptedException | RuntimeException e) {
            return List.of();
        }
    }

    private void onHoldersSeen(List<LockState> states) {
        List<LockState> around = states.stream().filter(surroundings::includes).toList();
        if (wanted.isKeptBy(around)) {
            String us = wanted + " is held by process " + around.get(0).holder().pid() + ", which started this command";
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
        if (console.showsProgress() && !states.isEmpty()) {
            show(states);
        }
    }

    private void show(List<LockState> states) {
        shown = true;
        LockState state = states.get(0);
        String others = states.size() > 1 ? " and " + (states.size() - 1) + " more" : "";
        Duration waited = Duration.ofNanos(System.nanoTime() - since);
        Duration held = Duration.between(state.since(), Instant.now());
        console.progress("Waiting for '" + wanted.name() + "' for " + Durations.text(waited) + ": held for "
                + Durations.text(held) + " by " + state.holder() + others);
    }
}
