package dev.holdfast.cli.connect;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The first connection to a store. If the store is not available, it is tried again for as long as the caller would wait for
 * the lock: it makes no difference to the caller whether the server went away just before that connection or just after it.
 * Used by one thread.
 */
final class FirstConnection {
    /** If no limit was given. The library uses the same limit for a store that goes away later. */
    private static final Duration UNAVAILABLE_AFTER = Duration.ofSeconds(10);

    /** For commands that do not wait: long enough for a JVM that has just started on a busy machine. */
    private static final Duration ONE_ATTEMPT = Duration.ofSeconds(10);

    /**
     * A limit that is shorter than this leaves the first connection no chance. It takes about as long as starting took, which
     * on a busy machine may be seconds.
     */
    private static final Duration SHORTEST_ATTEMPT = Duration.ofMillis(500);

    private static final int STARTS = 3;
    private static final Duration LONGEST_ALLOWANCE = Duration.ofMinutes(1);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** Most connections take less time than this, and need no message. */
    private static final Duration SILENT_FOR = Duration.ofSeconds(2);

    private static final Duration TICK = Duration.ofMillis(500);

    private final Store store;
    private final @Nullable Duration maxWait;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final Duration shortestAttempt;
    private final long since = System.nanoTime();
    private @Nullable RuntimeException lastFailure;
    private @Nullable LockBackend backend;
    private boolean shown;

    /** For commands that do not wait: tries once. */
    static LockBackend once(Store store) throws InterruptedException {
        FirstConnection connecting =
                new FirstConnection(store, Duration.ZERO, new LinkedBlockingQueue<>(), Console.system());
        connecting.await();
        return connecting.backend();
    }

    /** @param maxWait null: no limit for the lock; zero: one attempt */
    FirstConnection(Store store, @Nullable Duration maxWait, BlockingQueue<Event> events, Console console) {
        this(store, maxWait, events, console, shortestAttempt(timeToStart()));
    }

    FirstConnection(
            Store store,
            @Nullable Duration maxWait,
            BlockingQueue<Event> events,
            Console console,
            Duration shortestAttempt) {
        this.store = store;
        this.maxWait = maxWait;
        this.events = events;
        this.console = console;
        this.shortestAttempt = shortestAttempt;
    }

    /** Since this process was started, the launcher included. */
    private static Duration timeToStart() {
        Instant now = Instant.now();
        return Duration.between(ProcessHandle.current().info().startInstant().orElse(now), now);
    }

    static Duration shortestAttempt(Duration timeToStart) {
        return shorter(longer(timeToStart.multipliedBy(STARTS), SHORTEST_ATTEMPT), LONGEST_ALLOWANCE);
    }

    /** Waits for a connection. Returns null, or the signal that ends the waiting. Throws if there is none in time. */
    Event.@Nullable Signalled await() throws InterruptedException {
        try {
            Duration pause = SHORTEST_PAUSE;
            while (true) {
                CompletableFuture<LockBackend> attempt = attempt();
                Event.Signalled signal = until(attempt, lastFailure == null ? firstAttempt() : longestWait());
                if (signal != null) {
                    return signal;
                }
                if (succeeded(attempt)) {
                    return null;
                }
                if (!attempt.isDone()) {
                    throw unavailable();
                }
                signal = until(new CompletableFuture<>(), shorter(waited().plus(pause), longestWait()));
                if (signal != null) {
                    return signal;
                }
                if (left(longestWait()).isZero()) {
                    throw unavailable();
                }
                pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
            }
        } finally {
            if (shown) {
                console.clearProgress();
            }
        }
    }

    /** On a thread of its own: a server that hangs must not keep us from hearing a signal. */
    private CompletableFuture<LockBackend> attempt() {
        CompletableFuture<LockBackend> attempt = CompletableFuture.supplyAsync(store::backend, task -> {
            Thread thread = new Thread(task, "holdfast-connecting");
            thread.setDaemon(true);
            thread.start();
        });
        var unused = attempt.whenComplete((got, failure) -> events.add(new Event.Answered()));
        return attempt;
    }

    /** @param limit since the beginning */
    private Event.@Nullable Signalled until(CompletableFuture<?> attempt, Duration limit) throws InterruptedException {
        while (!attempt.isDone() && !left(limit).isZero()) {
            Duration tick = shorter(TICK, left(limit));
            if (events.poll(tick.toNanos(), TimeUnit.NANOSECONDS) instanceof Event.Signalled signal) {
                return signal;
            }
            show();
        }
        return null;
    }

    private boolean succeeded(CompletableFuture<LockBackend> attempt) {
        if (!attempt.isDone()) {
            return false;
        }
        try {
            backend = attempt.join();
            return true;
        } catch (CompletionException e) {
            RuntimeException failure = e.getCause() instanceof RuntimeException plain ? plain : e;
            if (!isOutage(failure)) {
                throw failure;
            }
            lastFailure = failure;
            return false;
        }
    }

    /** Whether trying again may help. It does not with a wrong password or a wrong URL. */
    static boolean isOutage(RuntimeException failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof RefusedException || (each instanceof SQLException sql && isRefusal(sql))) {
                return false;
            }
        }
        return failure instanceof NotSentException || failure instanceof LockUnavailableException;
    }

    /** By the standard's classes of states: login refused, no such database, nothing of that name or no right to it. */
    private static boolean isRefusal(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28") || state.startsWith("3D") || state.startsWith("42") || state.startsWith("22");
    }

    private void show() {
        if (console.showsProgress() && waited().compareTo(SILENT_FOR) >= 0) {
            shown = true;
            String why = lastFailure == null ? "no answer yet" : Failures.describe(lastFailure);
            console.progress("Waiting for the store for " + Durations.text(waited()) + ": " + why);
        }
    }

    private RuntimeException unavailable() {
        RuntimeException failure = lastFailure;
        if (failure == null) {
            return new CliException(
                    ExitCode.UNAVAILABLE,
                    store.explain("No answer from " + store.label() + " within " + Durations.text(waited()) + "."));
        }
        CliException told = StoreSession.unavailable(store, failure);
        return longestWait().isZero()
                ? told
                : new CliException(
                        told.exitCode(),
                        told.getMessage() + ". Tried for " + Durations.text(waited()) + "; no lock was asked for.");
    }

    LockBackend backend() {
        if (backend == null) {
            throw new IllegalStateException("There is no connection yet.");
        }
        return backend;
    }

    /** What is left for the lock itself; null: no limit. */
    @Nullable
    Duration leftForTheLock() {
        return maxWait == null ? null : left(maxWait);
    }

    /** Always limited: there are drivers that wait for a server without a limit. */
    private Duration firstAttempt() {
        return longer(longestWait().isZero() ? ONE_ATTEMPT : longestWait(), shortestAttempt);
    }

    private Duration longestWait() {
        return maxWait == null ? UNAVAILABLE_AFTER : maxWait;
    }

    private Duration left(Duration limit) {
        Duration left = limit.minus(waited());
        return left.isNegative() ? Duration.ZERO : left;
    }

    private Duration waited() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
