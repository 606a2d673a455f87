package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.StatementExecutor;
import dev.holdfast.jdbc.sql.Queries;
import dev.holdfast.jdbc.sql.Steps;
import dev.holdfast.spi.Environment;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Tasks that any process may do from time to time. A failure does not matter: the task is repeated. */
final class BackgroundTasks {
    private static final long SWEEP_EVERY_NANOS = 60_000_000_000L;
    private static final long SWEEP_GRACE_MICROS = 60_000_000;
    private static final int MOST_SWEPT = 500;
    /** After the window: the database must agree that it is over. */
    private static final long MARGIN_NANOS = 20_000_000;

    /** A century. Sums of times must not overflow. */
    private static final long LONGEST_DELAY_MICROS = 100L * 365 * 86_400 * 1_000_000;

    private static final long STORE_LOOK_NANOS = 1_000_000_000;

    private final Environment environment;
    private final StatementExecutor executor;
    private final Steps steps;
    private final Queries queries;
    private final AtomicLong sweptNanos;
    private final AtomicBoolean storeWatched = new AtomicBoolean();
    // Racy, and benign: a value that is lost is replaced by the next renewal.
    private volatile long heldUntilNanos;
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    BackgroundTasks(Environment environment, StatementExecutor executor, Steps steps, Queries queries) {
        this.environment = environment;
        this.executor = executor;
        this.steps = steps;
        this.queries = queries;
        // The first sweep soon: the process before us may have left its rows.
        this.sweptNanos = new AtomicLong(environment.nanoTime() - SWEEP_EVERY_NANOS);
    }

    void sweepNowAndThen() {
        long now = environment.nanoTime();
        long last = sweptNanos.get();
        if (now - last >= SWEEP_EVERY_NANOS && sweptNanos.compareAndSet(last, now)) {
            sweep();
        }
    }

    private void sweep() {
        var unused = executor.submit(connection -> queries.sweep(connection, SWEEP_GRACE_MICROS, MOST_SWEPT))
                .thenAccept(swept -> {
                    if (swept >= MOST_SWEPT) {
                        sweep();
                    }
                });
    }

    /**
     * We handed the lock to a waiter that may be dead. If it has not claimed by the end of its window, the next one gets
     * it. One timer for a name, however often it is handed over.
     */
    void watchWindow(String name, long windowMicros) {
        if (windowMicros > 0 && watched.add(name)) {
            environment.schedule(windowMicros * 1_000 + MARGIN_NANOS, () -> {
                watched.remove(name);
                serve(name);
            });
        }
    }

    /**
     * We left the lock taken for that long while somebody waits for it. The first waiter was told and comes by itself; if it
     * is dead, the next one gets the lock. A timer of its own: one for a claim window ends before, and finds nothing to do.
     */
    void serveAfter(String name, long takenMicros) {
        if (takenMicros > 0) {
            environment.schedule(Math.min(takenMicros, LONGEST_DELAY_MICROS) * 1_000 + MARGIN_NANOS, () -> serve(name));
        }
    }

    /** Gives a lock that is over to the first waiter. */
    private void serve(String name) {
        CompletableFuture<Steps.ReleaseResult> found =
                executor.submitUrgent(connection -> steps.vacate(connection, name, "", 0));
        var unused = found.thenAccept(result -> watchWindow(name, result.takenMicros()));
    }

    /** Something is held until then. One timer, however much is held; a renewal lengthens it. */
    void watchStore(ConnectionSource source, long untilNanos) {
        if (!storeWatched.get() || untilNanos - heldUntilNanos > 0) {
            heldUntilNanos = untilNanos;
        }
        if (storeWatched.compareAndSet(false, true)) {
            environment.schedule(STORE_LOOK_NANOS, () -> lookAtStore(source));
        }
    }

    private void lookAtStore(ConnectionSource source) {
        if (environment.nanoTime() - heldUntilNanos >= 0) {
            storeWatched.set(false);
            return;
        }
        try {
            environment.blocking().execute(source::look);
            environment.schedule(STORE_LOOK_NANOS, () -> lookAtStore(source));
        } catch (RejectedExecutionException closed) {
            storeWatched.set(false);
        }
    }
}
