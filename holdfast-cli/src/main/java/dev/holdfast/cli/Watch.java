package dev.holdfast.cli;

import dev.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stays beside the child until it has ended: passes signals on, and sees to it that the child does not outlive the lease.
 */
final class Watch {
    /** For an end that the system owes us: a killed process, a descendant that only its parent can reap. */
    private static final Duration REAPING = Duration.ofSeconds(1);

    private static final Duration IDLE = Duration.ofHours(1);

    private final Lease lease;
    private final OnLoss onLoss;
    private final Child child;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final Duration termAt;
    private final Duration killAt;
    private boolean endangered;
    private boolean killed;
    private @Nullable String why;

    Watch(Lease lease, Duration term, OnLoss onLoss, Child child, BlockingQueue<Event> events, Console console) {
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
        while (child.isAlive() || (endangered && onLoss != OnLoss.warn && !child.familyIsGone())) {
            if (killed && !child.isAlive()) {
                break;
            }
            Event event = events.poll(untilNextDecision().toNanos(), TimeUnit.NANOSECONDS);
            if (event instanceof Event.Signalled signal) {
                pass(signal);
            } else if (event instanceof Event.Lost lost) {
                why = lost.loss().toString();
            }
            decide();
        }
        // Both may have been paused together: then the child ended before we could see that its lease had.
        if (!endangered && lease.isValid()) {
            return child.exitCode();
        }
        console.error((why == null ? "The lease could not be renewed in time" : why) + ". The command ended with "
                + child.exitCode() + ".");
        return ExitCode.LOST;
    }

    private Duration untilNextDecision() {
        if (endangered && (killed || onLoss == OnLoss.warn)) {
            return killed ? REAPING : IDLE;
        }
        Duration next = lease.remaining().minus(endangered ? killAt : firstStep());
        if (endangered) {
            // The child may be gone and leave a family: nobody tells us when that ends.
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
            warn(left);
        }
        if (endangered && !killed && onLoss != OnLoss.warn && left.compareTo(killAt) <= 0) {
            killed = true;
            child.killFamily();
        }
    }

    private void warn(Duration left) {
        String what = "Lock '" + lease.name() + "' "
                + (left.isZero() ? "is lost" : "is about to be lost (" + Spans.text(left) + " left)");
        switch (onLoss) {
            case term -> {
                console.error(what + ": ending the command.");
                // Once the lock is gone there is no time to give: whatever a handler would write, it would write
                // without it.
                if (!left.isZero()) {
                    child.terminateFamily();
                }
            }
            case kill -> console.error(what + ": killing the command.");
            case warn -> console.error(what + ": the command goes on without it.");
        }
    }

    private void pass(Event.Signalled signal) throws InterruptedException {
        boolean alreadyThere = signal.name().equals("INT") && console.onTerminal();
        if (!alreadyThere) {
            child.signal(signal.name());
        }
    }
}
