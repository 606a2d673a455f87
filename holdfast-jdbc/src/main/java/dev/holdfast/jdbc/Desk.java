package dev.holdfast.jdbc;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on few connections, however many callers there are: a borrowed connection goes back after one step, and
 * what cannot be served waits here without one. A step runs on the thread of a caller that lends it, or on a worker.
 */
final class Desk {
    /** One step on a borrowed connection. */
    interface Step<T> {
        T on(Connection connection) throws SQLException;
    }

    /** How often a step that the database rolled back is tried again. */
    private static final int TRIES = 8;
    /** A pool that makes us wait for longer is short of connections. */
    private static final long STARVING_NANOS = 250_000_000;

    private static final int WAITING = 0;
    private static final int RUNNING = 1;
    private static final int DONE = 2;

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Errors errors;
    private final Environment environment;
    private final Duration commandTimeout;
    private final int connections;
    private final Runnable starving;

    private final ReentrantLock lock = new ReentrantLock();
    // What keeps or frees locks goes before what asks for more.
    private final ArrayDeque<Job<?>> urgent = new ArrayDeque<>();
    private final ArrayDeque<Job<?>> ordinary = new ArrayDeque<>();
    // Each seat has one connection at most. While one is free, nothing waits here.
    private int seatsTaken;

    private final Set<Job<?>> unfinished = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();
    // When the database last did what it was asked. Written by whoever ran the step; which of two is the last does not
    // matter.
    private volatile long servedNanos;
    // Written by the timer only.
    private volatile boolean poolIsShort;
    private volatile boolean closed;

    /** @param starving called when the pool has no connection for us */
    Desk(
            ConnectionSource source,
            Dialect dialect,
            Errors errors,
            Environment environment,
            Duration commandTimeout,
            int connections,
            Runnable starving) {
        this.source = source;
        this.dialect = dialect;
        this.errors = errors;
        this.environment = environment;
        this.commandTimeout = commandTimeout;
        this.connections = connections;
        this.starving = starving;
        this.servedNanos = environment.nanoTime();
    }

    <T> CompletableFuture<T> soon(Step<T> step) {
        return submit(new Job<>(step, false));
    }

    <T> CompletableFuture<T> urgently(Step<T> step) {
        return submit(new Job<>(step, true));
    }

    private <T> CompletableFuture<T> submit(Job<T> job) {
        if (closed) {
            return CompletableFuture.failedFuture(new NotSentException("this backend is closed", null));
        }
        unfinished.add(job);
        watch();
        // Callers that wait anyway lend their thread, but not to a pool that would keep it.
        if (!poolIsShort && environment.mayBlock() && takeSeat()) {
            serveHere(job);
        } else {
            enqueue(job);
        }
        if (closed) {
            job.end(null, new NotSentException("this backend is closed", null));
        }
        return job.answer;
    }

    private boolean takeSeat() {
        lock.lock();
        try {
            if (seatsTaken == connections) {
                return false;
            }
            seatsTaken++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void serveHere(Job<?> job) {
        try {
            job.run();
        } finally {
            // What came meanwhile is not for this thread to do.
            Job<?> next = next();
            if (next != null) {
                employ(next);
            }
        }
    }

    private void enqueue(Job<?> job) {
        lock.lock();
        try {
            if (seatsTaken == connections) {
                (job.urgent ? urgent : ordinary).add(job);
                return;
            }
            seatsTaken++;
        } finally {
            lock.unlock();
        }
        employ(job);
    }

    /** The seat is taken already. */
    private void employ(Job<?> first) {
        try {
            environment.blocking().execute(() -> work(first));
        } catch (RejectedExecutionException e) {
            for (Job<?> job = first; job != null; job = next()) {
                job.end(null, new NotSentException("this backend is closed", e));
            }
        }
    }

    private void work(Job<?> first) {
        for (Job<?> job = first; job != null; job = next()) {
            job.run();
        }
    }

    /** The next job for who has a seat; with none, the seat is free. */
    private @Nullable Job<?> next() {
        lock.lock();
        try {
            Job<?> job = urgent.isEmpty() ? ordinary.poll() : urgent.poll();
            if (job == null) {
                seatsTaken--;
            }
            return job;
        } finally {
            lock.unlock();
        }
    }

    /** One timer for all jobs, and none while there is no job. */
    private void watch() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            environment.schedule(STARVING_NANOS, this::look);
        }
    }

    private void look() {
        long now = environment.nanoTime();
        boolean starved = false;
        for (Job<?> job : unfinished) {
            starved |= job.asksPool && now - job.askedNanos > STARVING_NANOS;
            // A job that is behind others of ours is served in its turn: a long queue is not an outage.
            long unserved = Math.min(now - job.sinceNanos, now - servedNanos);
            if (unserved > commandTimeout.toNanos()) {
                job.giveUp();
            }
        }
        poolIsShort = starved;
        watching.set(false);
        if (starved) {
            starving.run();
        }
        if (!unfinished.isEmpty() && !closed) {
            watch();
        }
    }

    void close() {
        closed = true;
        for (Job<?> job : unfinished) {
            job.end(null, new IllegalStateException("The backend was closed before the database had answered"));
        }
    }

    private final class Job<T> {
        final Step<T> step;
        final boolean urgent;
        final CompletableFuture<T> answer = new CompletableFuture<>();
        final long sinceNanos = environment.nanoTime();
        // Valid while it asks; written before.
        private long askedNanos;
        private volatile boolean asksPool;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        // Touched by one worker at a time.
        private int tries;

        Job(Step<T> step, boolean urgent) {
            this.step = step;
            this.urgent = urgent;
        }

        void run() {
            if (state.get() != WAITING) {
                return;
            }
            Connection connection;
            askedNanos = environment.nanoTime();
            asksPool = true;
            try {
                connection = source.take();
            } catch (SQLException | RuntimeException e) {
                end(null, errors.whileConnecting(e));
                return;
            } finally {
                asksPool = false;
            }
            Outcome<T> outcome = null;
            try {
                // From here on nobody can say any more that nothing was sent.
                if (state.compareAndSet(WAITING, RUNNING)) {
                    outcome = attempt(connection);
                }
            } finally {
                giveBack(connection);
            }
            if (outcome != null) {
                follow(outcome);
            }
        }

        private Outcome<T> attempt(Connection connection) {
            Session session;
            try {
                session = Session.prepare(connection, dialect, commandTimeout);
            } catch (SQLException | RuntimeException e) {
                return new Outcome<>(null, errors.whileConnecting(e), false);
            }
            try {
                T answer = step.on(connection);
                servedNanos = environment.nanoTime();
                return new Outcome<>(answer, null, false);
            } catch (SQLException e) {
                return new Outcome<>(null, e, errors.isWorthAnotherTry(e));
            } catch (RuntimeException | Error e) {
                return new Outcome<>(null, e, false);
            } finally {
                restore(session);
            }
        }

        private void restore(Session session) {
            try {
                session.restore();
            } catch (SQLException e) {
                // The connection is broken; its pool will see that too.
            }
        }

        private void giveBack(Connection connection) {
            try {
                source.giveBack(connection);
            } catch (SQLException e) {
                // What the step said stands: it was said before.
            }
        }

        private void follow(Outcome<T> outcome) {
            if (outcome.again() && ++tries < TRIES && !closed) {
                state.set(WAITING);
                // Rivals that collided must not collide again.
                long delay = (long) (environment.random().nextDouble() * (1_000_000L << tries));
                environment.schedule(delay, () -> enqueue(this));
                return;
            }
            Throwable failure = outcome.failure();
            if (failure instanceof SQLException e) {
                failure = outcome.again() ? errors.rolledBack(e, tries) : errors.whileExecuting(e);
            }
            end(outcome.answer(), failure);
        }

        /** Only while it can be proven that nothing was sent; a step that runs is bounded by its network timeout. */
        void giveUp() {
            if (state.compareAndSet(WAITING, DONE)) {
                end(
                        null,
                        new NotSentException(
                                "no connection to the database within " + commandTimeout.toMillis()
                                        + " ms: the pool is exhausted, or the database does not answer",
                                null));
            }
        }

        void end(@Nullable T result, @Nullable Throwable failure) {
            state.set(DONE);
            unfinished.remove(this);
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                complete(result);
            }
        }

        @SuppressWarnings("NullAway") // A step that answers with nothing answers null.
        private void complete(@Nullable T result) {
            answer.complete(result);
        }
    }

    private record Outcome<T>(@Nullable T answer, @Nullable Throwable failure, boolean again) {}
}
