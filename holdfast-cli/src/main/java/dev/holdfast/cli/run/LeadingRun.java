package dev.holdfast.cli.run;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.cli.connect.ReleaseAnswer;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Competes for the leadership, runs the command while leading, and competes again after a loss, until the command ends by itself. */
public record LeadingRun(
        String name,
        LauncherPipe orders,
        Duration lease,
        OnLoss onLoss,
        String description,
        RunEnvironment surroundings) {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    public int with(Holdfast holdfast, ReleaseAnswer answer, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        DistributedLock lock = holdfast.lock(name).withLease(lease).describedAs(description);
        CommandUnderLock command =
                new CommandUnderLock(LockKey.lock(name), orders, lease, Duration.ZERO, onLoss, surroundings);
        Duration pause = FIRST_PAUSE;
        while (true) {
            CompletableFuture<Lease> wanted = lock.acquireAsync();
            Event.Signalled interruption = awaitLeadership(wanted, holdfast, events, console);
            if (interruption != null) {
                wanted.cancel(true);
                return ExitCode.ofSignal(interruption.number());
            }
            long since = System.nanoTime();
            Lease held = leaseOrNull(wanted, console);
            if (held != null) {
                answer.forget();
                CommandUnderLock.Outcome outcome = command.with(held, answer, events, console);
                if (outcome.askedToStop() || !endedWithTheLock(outcome)) {
                    return outcome.exitCode();
                }
            }
            // Whoever led for a while has not failed over and over.
            boolean ledLong = held != null && System.nanoTime() - since > LONGEST_PAUSE.toNanos();
            pause = ledLong ? FIRST_PAUSE : pause;
            interruption = pause(pause, events, console);
            if (interruption != null) {
                return ExitCode.ofSignal(interruption.number());
            }
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    private static boolean endedWithTheLock(CommandUnderLock.Outcome outcome) {
        return outcome.end() == CommandUnderLock.End.LOST || outcome.end() == CommandUnderLock.End.NOT_CONFIRMED;
    }

    private Event.@Nullable Signalled awaitLeadership(
            CompletableFuture<Lease> wanted, Holdfast holdfast, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        var unused = wanted.whenComplete((got, failure) -> events.add(new Event.Answered()));
        try {
            return new LockWait(holdfast, Wanted.lock(name), true, surroundings, events, console).until(wanted);
        } catch (CliException e) {
            wanted.cancel(true);
            throw e;
        }
    }

    /** Null in an outage: a leader is wanted for as long as this runs. A refusal does not end by itself. */
    private static @Nullable Lease leaseOrNull(CompletableFuture<Lease> wanted, Console console) {
        try {
            return wanted.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LockUnavailableException outage
                    && !(outage.getCause() instanceof RefusedException)) {
                console.note(String.valueOf(outage.getMessage()));
                return null;
            }
            throw e.getCause() instanceof RuntimeException plain ? plain : e;
        }
    }

    /** Candidates that failed together must not try again together. */
    private Event.@Nullable Signalled pause(Duration usual, BlockingQueue<Event> events, Console console)
            throws InterruptedException {
        long nanos = usual.toNanos() / 2 + ThreadLocalRandom.current().nextLong(usual.toNanos());
        console.note(
                "Does not lead '" + name + "'. Competes again in " + Durations.text(Duration.ofNanos(nanos)) + ".");
        long until = System.nanoTime() + nanos;
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            if (events.poll(left, TimeUnit.NANOSECONDS) instanceof Event.Signalled signal && signal.asksToStop()) {
                return signal;
            }
        }
        return null;
    }
}
