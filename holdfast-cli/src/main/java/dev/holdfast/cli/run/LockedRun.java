package dev.holdfast.cli.run;

import dev.holdfast.Acquirable;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.cli.connect.ReleaseAnswer;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the lock, runs the command, releases the lock.
 *
 * @param maxWait null: as long as it takes
 * @param minHold how long the lock stays taken at least, however soon the command ends; zero: no longer than the command
 */
public record LockedRun(
        Wanted wanted,
        LauncherPipe orders,
        @Nullable Duration maxWait,
        Duration lease,
        Duration minHold,
        OnLoss onLoss,
        int busyExit,
        String description,
        RunEnvironment surroundings) {

    public int with(Holdfast holdfast, ReleaseAnswer answer, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        requirePossible(holdfast);
        Acquirable<?> lock = wanted.at(holdfast).withLease(lease).describedAs(description);
        CompletableFuture<Lease> asked = maxWait == null ? lock.acquireAsync() : lock.acquireAsync(maxWait);
        var unused = asked.whenComplete((got, failure) -> events.add(new Event.Answered()));
        Event.Signalled interruption;
        try {
            interruption = new LockWait(holdfast, wanted, maxWait == null, surroundings, events, console).until(asked);
        } catch (CliException e) {
            asked.cancel(true);
            throw e;
        }
        if (interruption != null) {
            asked.cancel(true);
            return ExitCode.ofSignal(interruption.number());
        }
        try {
            return outcome(asked.join(), answer, events, console);
        } catch (CompletionException e) {
            if (e.getCause() instanceof LockTimeoutException busy) {
                console.note(String.valueOf(busy.getMessage()));
                return busyExit;
            }
            throw e.getCause() instanceof RuntimeException plain ? plain : e;
        }
    }

    private void requirePossible(Holdfast holdfast) {
        if (!holdfast.guarantees().offers(wanted.key().kind())) {
            throw new CliException(
                    ExitCode.USAGE,
                    wanted + " is not possible at this store: "
                            + holdfast.guarantees().refusal(wanted.key().kind()) + ". The command was not started.");
        }
        if (!minHold.isZero() && !holdfast.guarantees().heldAtLeast()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "--min-hold is not possible at this store: it cannot keep a lock after holdfast has ended. The command was"
                            + " not started. Let the command itself take that long, or use another store.");
        }
    }

    private int outcome(Lease held, ReleaseAnswer answer, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        CommandUnderLock command = new CommandUnderLock(wanted.key(), orders, lease, minHold, onLoss, surroundings);
        CommandUnderLock.Outcome outcome = command.with(held, answer, events, console);
        if (outcome.end() == CommandUnderLock.End.NOT_CONFIRMED) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    wanted + " was granted, but the store did not confirm it in time. The command was not"
                            + " started.");
        }
        if (outcome.end() == CommandUnderLock.End.OF_ITSELF && outcome.askedToStop()) {
            tellWhatIsKept(outcome.kept(), console);
        }
        return outcome.exitCode();
    }

    /** Whoever stops a command may want to start it again. In the usual case nothing is said: cron would send it by mail. */
    private void tellWhatIsKept(Duration keep, Console console) {
        if (keep.compareTo(Duration.ZERO) > 0) {
            console.note(wanted + " stays taken for another " + Durations.text(keep)
                    + " (--min-hold). To free it: holdfast break");
        }
    }
}
