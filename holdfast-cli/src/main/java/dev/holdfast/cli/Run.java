package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the lock, runs the command, gives the lock back.
 *
 * @param maxWait null: as long as it takes
 * @param minHold how long the lock is kept at least, however soon the command ends
 */
record Run(
        String name,
        List<String> command,
        @Nullable Duration maxWait,
        Duration lease,
        Duration minHold,
        OnLoss onLoss,
        int busyExit,
        String description) {

    /** How long a finished command waits for the store to confirm that the lock is free. */
    private static final Duration CONFIRMATION = Duration.ofSeconds(5);

    private static final long CONFIRMATION_TICK_MILLIS = 5;
    private static final Duration CONFIRMATION_LIMIT = Duration.ofSeconds(5);

    int with(Holdfast holdfast, BlockingQueue<Event> events, Console console) throws InterruptedException {
        var lock = holdfast.lock(name).withLease(lease).describedAs(description);
        CompletableFuture<Lease> wanted = maxWait == null ? lock.acquireAsync() : lock.acquireAsync(maxWait);
        var unused = wanted.whenComplete((got, failure) -> events.add(new Event.Settled()));
        Event.Signalled interruption = new Waiting(holdfast, name, events, console).until(wanted);
        if (interruption != null) {
            wanted.cancel(true);
            return ExitCode.ofSignal(interruption.number());
        }
        try {
            return holding(wanted.join(), events, console);
        } catch (CompletionException e) {
            if (e.getCause() instanceof LockTimeoutException busy) {
                console.note(String.valueOf(busy.getMessage()));
                return busyExit;
            }
            throw e.getCause() instanceof RuntimeException plain ? plain : e;
        }
    }

    private int holding(Lease held, BlockingQueue<Event> events, Console console) throws InterruptedException {
        long since = System.nanoTime();
        int exitCode;
        try {
            Event.Signalled interruption = untilConfirmed(held, events);
            if (interruption != null) {
                return ExitCode.ofSignal(interruption.number());
            }
            held.onLost(loss -> events.add(new Event.Lost(loss)));
            Child child = Child.start(command, variables(held), events::add);
            exitCode = new Watch(held, lease, onLoss, child, events, console).untilTheEnd();
            keep(held, since, events, console);
        } finally {
            release(held, console);
        }
        return exitCode;
    }

    /**
     * A lock that was handed over is ours for a moment only, until the store has heard that we took it. The child begins
     * with a lease that is worth it.
     */
    private Event.@Nullable Signalled untilConfirmed(Lease held, BlockingQueue<Event> events)
            throws InterruptedException {
        long giveUp = System.nanoTime() + CONFIRMATION_LIMIT.toNanos();
        while (held.remaining().compareTo(lease.dividedBy(3)) < 0) {
            if (System.nanoTime() - giveUp > 0) {
                throw new CliException(ExitCode.UNAVAILABLE, tooLong(held.remaining()));
            }
            if (!held.isValid()) {
                throw new CliException(
                        ExitCode.UNAVAILABLE,
                        "Lock '" + name
                                + "' was given to us, but the store did not confirm it in time. The command was not"
                                + " started.");
            }
            if (events.poll(CONFIRMATION_TICK_MILLIS, TimeUnit.MILLISECONDS) instanceof Event.Signalled signal) {
                return signal;
            }
        }
        return null;
    }

    /** Where a session stands behind a lease (ZooKeeper), it may be too short for it however long we wait. */
    private String tooLong(Duration remaining) {
        return "The store vouches for no more than " + Spans.text(remaining) + " of a lease of " + Spans.text(lease)
                + ", so a failed renewal could not be noticed in time. The command was not started. Give a --lease of twice"
                + " that, or set up the store for longer ones: holdfast doctor says what it vouches for.";
    }

    /**
     * The deadline is what is certain now: renewals move the end of the lease on, and a variable cannot follow. The child
     * may rely on the lock until then whatever happens, and after it for as long as it is allowed to live.
     */
    private static Map<String, String> variables(Lease held) {
        Instant deadline = Instant.now().plus(held.remaining());
        return Map.of(
                "HOLDFAST_NAME", held.name(),
                "HOLDFAST_TOKEN", held.token().toString(),
                "HOLDFAST_DEADLINE", Long.toString(deadline.toEpochMilli()));
    }

    /** Where clocks differ, the same job begins elsewhere a little later, and must find the lock still held. */
    private void keep(Lease held, long since, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        while (held.isValid()) {
            long left = minHold.toNanos() - (System.nanoTime() - since);
            if (left <= 0) {
                return;
            }
            if (events.poll(left, TimeUnit.NANOSECONDS) instanceof Event.Signalled signal) {
                console.note("SIG" + signal.name() + ": releasing lock '" + name + "' before its minimum of "
                        + Spans.text(minHold) + " is over.");
                return;
            }
        }
    }

    /** No longer than the lock could stay taken without us. */
    private void release(Lease held, Console console) throws InterruptedException {
        Duration left = held.remaining();
        Duration patience = left.compareTo(CONFIRMATION) < 0 ? left : CONFIRMATION;
        try {
            held.releaseAsync().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            if (left.compareTo(patience) > 0) {
                console.note("The release of lock '" + name + "' is not confirmed; it is free within "
                        + Spans.text(lease) + " at the latest.");
            }
        }
    }
}
