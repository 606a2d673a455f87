package dev.holdfast.cli.run;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockKey;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the child has ended. Passes signals on to it, and ends it if the lease ends.
 */
final class ChildWatch {
    /** How long killed processes may take to disappear: some can be reaped only by their parent. */
    private static final Duration REAPING = Duration.ofSeconds(1);

    private static final Duration IDLE = Duration.ofHours(1);

    /**
     * A signal for the whole group reaches its processes one after the other, and the sender may send it to us alone as well, as
     * timeout(1) does. After this time all of them have arrived; they count as one.
     */
    private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS, Runnable::run);

    private final LockKey key;
    private final Lease lease;
    private final OnLoss onLoss;
    private final Child child;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final Duration termAt;
    private final Duration killAt;
    private boolean endangered;
    private boolean killed;
    private boolean askedToStop;
    private boolean lost;
    private final Set<String> pendingSignals = new HashSet<>();
    private @Nullable String why;

    ChildWatch(
            LockKey key,
            Lease lease,
            Duration term,
            OnLoss onLoss,
            Child child,
            BlockingQueue<Event> events,
            Console console) {
        this.key = key;
        this.lease = lease;
        this.onLoss = onLoss;
        this.child = child;
        this.events = events;
        this.console = console;
        // Renewals come at each third, so two of them have failed before this.
        this.termAt = term.dividedBy(6);
        // Ending a process takes a moment, and that moment belongs to the lease too.
        this.killAt = term.dividedBy(60);
    }

    /** The exit code: the child's own, unless the lease was lost under it. */
    int untilTheEnd() throws InterruptedException {
        while (child.isAlive() || (endangered && onLoss != OnLoss.warn && !child.allHaveEnded())) {
            if (killed && !child.isAlive()) {
                break;
            }
            Event event = events.poll(untilNextDecision().toNanos(), TimeUnit.NANOSECONDS);
            if (event instanceof Event.Signalled signal) {
                passOnSoon(signal);
            } else if (event instanceof Event.SignalToPassOn signal) {
                pendingSignals.remove(signal.name());
                child.signal(signal.name());
            } else if (event instanceof Event.Lost lost && lost.loss().token().equals(lease.token())) {
                why = lost.loss().toString();
            }
            decide();
        }
        // We may have been paused together with the child: then it ended before we could see that its lease had.
        child.done();
        OptionalInt code = child.exitCode();
        if (!endangered && lease.isValid()) {
            return code.orElseGet(this::unknown);
        }
        lost = true;
        console.error(reason() + ". The command ended with " + (code.isPresent() ? code.getAsInt() : "an unknown code")
                + ".");
        return ExitCode.LOST;
    }

    /** The callback comes on a thread of its own, which may be later than the end of the child: the lease knows by then. */
    private String reason() {
        if (why != null) {
            return why;
        }
        try {
            lease.ensureValid(Duration.ZERO);
        } catch (LeaseLostException lost) {
            return lost.loss().toString();
        }
        return "The lease could not be renewed in time";
    }

    private int unknown() {
        console.error(
                "The shell that waited for the command was killed. The command has ended under the lock, but its exit code"
                        + " is not known.");
        return ExitCode.INTERNAL_ERROR;
    }

    /** Whether the lock was lost, or about to be lost, before the child had ended. Only after its end. */
    boolean hasLostTheLock() {
        return lost;
    }

    /** Whether a signal came that asks us to stop. */
    boolean wasAskedToStop() {
        return askedToStop;
    }

    private Duration untilNextDecision() {
        if (endangered && (killed || onLoss == OnLoss.warn)) {
            return killed ? REAPING : IDLE;
        }
        Duration next = lease.remaining().minus(endangered ? killAt : firstStep());
        if (endangered) {
            // The child may have ended and left descendants, whose end nobody reports.
            next = next.compareTo(Duration.ofMillis(50)) < 0 ? next : Duration.ofMillis(50);
        }
        return next.isNegative() ? Duration.ZERO : next;
    }

    private Duration firstStep() {
        return switch (onLoss) {
            case term -> termAt;
            case kill -> killAt;
            case warn -> Duration.ZERO;
        };
    }

    private void decide() {
        Duration left = lease.remaining();
        if (!endangered && child.isAlive() && left.compareTo(firstStep()) <= 0) {
            endangered = true;
            child.hurry();
            warn(left);
        }
        if (endangered && !killed && onLoss != OnLoss.warn && left.compareTo(killAt) <= 0) {
            killed = true;
            child.killAll();
        }
    }

    private void warn(Duration left) {
        String what = Wanted.capitalized(key) + " "
                + (left.isZero() ? "is lost" : "is about to be lost (" + Durations.text(left) + " left)");
        switch (onLoss) {
            case term -> {
                console.error(what + ": ending the command.");
                // Once the lock is gone there is no time left: a handler would write without the lock.
                if (!left.isZero()) {
                    child.terminateAll();
                }
            }
            case kill -> console.error(what + ": killing the command.");
            case warn -> console.error(what + ": the command goes on without it.");
        }
    }

    private void passOnSoon(Event.Signalled signal) {
        askedToStop |= signal.asksToStop();
        if (pendingSignals.add(signal.name())) {
            SOON.execute(() -> events.add(new Event.SignalToPassOn(signal.name())));
        }
    }
}
