package dev.holdfast.cli.run;

import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.cli.connect.ReleaseAnswer;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs the command once, under a lock that was acquired, and releases the lock. */
record CommandUnderLock(
        LockKey key,
        LauncherPipe orders,
        Duration lease,
        Duration minHold,
        OnLoss onLoss,
        RunEnvironment surroundings) {
    private static final long CONFIRMATION_TICK_MILLIS = 5;
    private static final Duration CONFIRMATION_LIMIT = Duration.ofSeconds(5);

    /** How it came to its end. */
    enum End {
        /** The command ended under the lock. */
        OF_ITSELF,
        /** The lock was lost, or about to be lost, before the command ended or before the lock was released. */
        LOST,
        /** The store granted the lock and did not confirm it. The command was not started. */
        NOT_CONFIRMED,
        /** A signal came before the command was started. */
        SIGNALLED
    }

    /**
     * What there is to say afterwards.
     *
     * @param exitCode without a meaning if it was not confirmed
     * @param askedToStop whether a signal came that asks us to stop
     * @param kept how long the store keeps the lock from now on; zero or less: not at all
     */
    record Outcome(End end, int exitCode, boolean askedToStop, Duration kept) {}

    Outcome with(Lease held, ReleaseAnswer answer, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        long since = System.nanoTime();
        int exitCode;
        boolean wasAskedToStop;
        boolean wasLost;
        String lost;
        // Nothing has to be kept for a command that was not started.
        boolean started = false;
        Duration keep = Duration.ZERO;
        try {
            Outcome early = untilConfirmed(held, events);
            if (early != null) {
                return early;
            }
            held.onLost(loss -> events.add(new Event.Lost(loss)));
            // If we are killed, at least a sixth of the lease is left: the watchdog uses it to end the child.
            Child child =
                    Child.start(orders, surroundings.variables(key, held), onLoss, lease.toMillis() / 600, events::add);
            started = true;
            ChildWatch watch = new ChildWatch(key, held, lease, onLoss, child, events, console);
            exitCode = watch.untilTheEnd();
            wasAskedToStop = watch.wasAskedToStop();
            wasLost = watch.hasLostTheLock();
        } finally {
            if (started) {
                keep = minHold.minusNanos(System.nanoTime() - since);
            }
            lost = LockRelease.of(key, held, lease, keep, answer, console);
        }
        if (lost != null && !wasLost) {
            // Noticed only now: the command had ended before, and others may have held the lock beside it.
            console.error(lost + (lost.endsWith(".") ? "" : ".") + " The command ended with " + exitCode + ".");
        }
        return lost == null && !wasLost
                ? new Outcome(End.OF_ITSELF, exitCode, wasAskedToStop, keep)
                : new Outcome(End.LOST, ExitCode.LOST, wasAskedToStop, Duration.ZERO);
    }

    /**
     * A lock that was handed over is granted for a short time only, until the store has our confirmation. The command starts
     * with a full lease.
     */
    private @Nullable Outcome untilConfirmed(Lease held, BlockingQueue<Event> events) throws InterruptedException {
        long giveUp = System.nanoTime() + CONFIRMATION_LIMIT.toNanos();
        while (held.remaining().compareTo(lease.dividedBy(3)) < 0) {
            if (!held.isValid()) {
                return new Outcome(End.NOT_CONFIRMED, ExitCode.UNAVAILABLE, false, Duration.ZERO);
            }
            if (System.nanoTime() - giveUp > 0) {
                throw new CliException(ExitCode.UNAVAILABLE, tooLong(held.remaining()));
            }
            if (events.poll(CONFIRMATION_TICK_MILLIS, TimeUnit.MILLISECONDS) instanceof Event.Signalled signal) {
                return new Outcome(End.SIGNALLED, ExitCode.ofSignal(signal.number()), true, Duration.ZERO);
            }
        }
        return null;
    }

    /** A lease that depends on a session (ZooKeeper) cannot be longer than the session, however long we wait. */
    private String tooLong(Duration remaining) {
        return "The store guarantees no more than " + Durations.text(remaining) + " of a lease of "
                + Durations.text(lease)
                + ", so a failed renewal could not be noticed in time. The command was not started. Use a --lease of at most"
                + " twice that, or configure the store for longer sessions; holdfast doctor shows what it guarantees.";
    }
}
