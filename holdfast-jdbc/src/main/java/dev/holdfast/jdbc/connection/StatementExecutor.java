package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.connection.StepRunner.Outcome;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on few connections, however many callers there are: a borrowed connection goes back after one step, and
 * steps that find none free wait in a queue. A step runs on the thread of a caller that lends it, or on a worker.
 */
public final class StatementExecutor {
    /** One step on a borrowed connection. */
    public interface Step<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Tried when every attempt of a step collided with others; answers null if that does not help either. */
    public interface Fallback<T> {
        @Nullable
        T on(Connection connection) throws SQLException;
    }

    /** How often a step that the database rolled back is tried again, at least; for the command timeout if that is longer. */
    private static final int TRIES = 8;
    /** Rivals that collided wait for up to a millisecond, doubled each time up to this often. */
    private static final int MOST_DOUBLINGS = 6;
    /** A pool that makes us wait for longer is short of connections. */
    private static final long SHORT_POOL_NANOS = 250_000_000;

    private static final int WAITING = 0;
    private static final int RUNNING = 1;
    private static final int DONE = 2;

    private final ConnectionSource source;
    private final StepRunner runner;
    private final Errors errors;
    private final Environment environment;
    private final Duration commandTimeout;
    private final int connections;
    private final Runnable whenPoolIsShort;

    private final ReentrantLock lock = new ReentrantLock();
    // Renewals and releases go before acquisitions.
    private final ArrayDeque<Job<?>> urgent = new ArrayDeque<>();
    private final ArrayDeque<Job<?>> ordinary = new ArrayDeque<>();
    // Of the slots, each of which uses one connection at most. While one is free, nothing waits in the queues.
    private int inUse;

    private final Set<Job<?>> unfinished = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();
    // Written by the timer only.
    private volatile boolean poolIsShort;
    private volatile boolean closed;

    /**
     * @param whenPoolIsShort called when the pool has no connection for us
     * @param marks told of each connection; null where connections have none
     */
    public StatementExecutor(
            ConnectionSource source,
            Dialect dialect,
            Errors errors,
            Environment environment,
            Duration commandTimeout,
            int connections,
            Runnable whenPoolIsShort,
            @Nullable ConnectionMarks marks) {
        this.source = source;
        this.errors = errors;
        this.environment = environment;
        this.commandTimeout = commandTimeout;
        this.connections = connections;
        this.whenPoolIsShort = whenPoolIsShort;
        this.runner = new StepRunner(source, dialect, errors, environment, commandTimeout, marks);
    }

    /** Runs the step as soon as a connection is free. The future is completed on the thread that ran it. */
    public <T> CompletableFuture<T> submit(Step<T> step) {
        return accept(new Job<>(step, false, null));
    }

    /**
     * As {@link #submit}, for a step that also makes sense in a store that is made anew.
     *
     * @param fallback done instead if the database answers, but with nothing but collisions: many who want something are
     *     not an outage. It must not need locks
     */
    public <T> CompletableFuture<T> submit(Step<T> step, Fallback<T> fallback) {
        return accept(new Job<>(step, false, fallback));
    }

    /** As {@link #submit}, before all that are not urgent. */
    public <T> CompletableFuture<T> submitUrgent(Step<T> step) {
        return accept(new Job<>(step, true, null));
    }

    private <T> CompletableFuture<T> accept(Job<T> job) {
        if (closed) {
            return CompletableFuture.failedFuture(new NotSentException("this backend is closed", null));
        }
        unfinished.add(job);
        try {
            watch();
        } catch (Throwable noTimer) {
            job.end(
                    null,
                    new NotSentException(
                            "nobody would notice that it takes too long: " + Errors.text(noTimer), noTimer));
            return job.answer;
        }
        // Callers that wait anyway lend their thread, but not to a pool that would keep it.
        if (!poolIsShort && environment.mayBlock() && takeSlot()) {
            runHere(job);
        } else {
            enqueue(job);
        }
        if (closed) {
            job.end(null, new NotSentException("this backend is closed", null));
        }
        return job.answer;
    }

    private boolean takeSlot() {
        lock.lock();
        try {
            if (inUse == connections) {
                return false;
            }
            inUse++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void runHere(Job<?> job) {
        try {
            job.run();
        } finally {
            // A lent thread runs its own step only.
            Job<?> next = next();
            if (next != null) {
                startWorker(next);
            }
        }
    }

    private void enqueue(Job<?> job) {
        lock.lock();
        try {
            if (inUse == connections) {
                (job.urgent ? urgent : ordinary).add(job);
                return;
            }
            inUse++;
        } finally {
            lock.unlock();
        }
        startWorker(job);
    }

    /** Why the worker pool refused: it is closed, or no thread could be started. */
    private String whyNoThread(Throwable refusal) {
        return closed ? "this backend is closed" : "no thread to run it: " + Errors.text(refusal);
    }

    /** Runs the job, and what waits behind it, on a worker. The slot is taken already. */
    private void startWorker(Job<?> first) {
        try {
            environment.blocking().execute(() -> work(first));
        } catch (Throwable e) {
            for (Job<?> job = first; job != null; job = next()) {
                job.end(null, new NotSentException(whyNoThread(e), e));
            }
        }
    }

    private void work(Job<?> first) {
        for (Job<?> job = first; job != null; job = next()) {
            job.run();
        }
    }

    /** The next job for whoever has a slot. If there is none, the slot is free again. */
    private @Nullable Job<?> next() {
        lock.lock();
        try {
            Job<?> job = urgent.isEmpty() ? ordinary.poll() : urgent.poll();
            if (job == null) {
                inUse--;
            }
            return job;
        } finally {
            lock.unlock();
        }
    }

    /** One timer for all jobs, and none while there is no job. */
    private void watch() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            boolean set = false;
            try {
                environment.schedule(SHORT_POOL_NANOS, this::look);
                set = true;
            } finally {
                if (!set) {
                    watching.set(false);
                }
            }
        }
    }

    private void look() {
        long now = environment.nanoTime();
        boolean isShort = false;
        for (Job<?> job : unfinished) {
            isShort |= job.asksPool && now - job.askedNanos > SHORT_POOL_NANOS;
            // A job that is behind others of ours is served in its turn: a long queue is not an outage.
            long unserved = Math.min(now - job.sinceNanos, now - runner.servedNanos());
            if (unserved > commandTimeout.toNanos()) {
                job.giveUp();
            }
        }
        poolIsShort = isShort;
        watching.set(false);
        if (isShort) {
            whenPoolIsShort.run();
        }
        if (!unfinished.isEmpty() && !closed) {
            watch();
        }
    }

    public void close() {
        closed = true;
        for (Job<?> job : unfinished) {
            job.end(null, new IllegalStateException("The backend was closed before the database had answered"));
        }
    }

    private final class Job<T> {
        final Step<T> step;
        final boolean urgent;
        private final @Nullable Fallback<T> fallback;
        final CompletableFuture<T> answer = new CompletableFuture<>();
        final long sinceNanos = environment.nanoTime();
        // Valid while it asks; written before.
        private long askedNanos;
        private volatile boolean asksPool;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        // Touched by one worker at a time.
        private int tries;

        Job(Step<T> step, boolean urgent, @Nullable Fallback<T> fallback) {
            this.step = step;
            this.urgent = urgent;
            this.fallback = fallback;
        }

        /**
         * Throws nothing. Pools and drivers are other people's code: whatever they throw, whoever waits for the answer is told,
         * and the slot serves the next one.
         */
        void run() {
            try {
                runOnce();
            } catch (Throwable bug) {
                end(null, bug);
            }
        }

        private void runOnce() {
            if (state.get() != WAITING) {
                return;
            }
            if (answer.isCancelled()) {
                end(null, new CancellationException());
                return;
            }
            Connection connection;
            askedNanos = environment.nanoTime();
            asksPool = true;
            try {
                connection = fallback == null ? source.take() : source.takeOrCreate();
            } catch (Throwable e) {
                asksPool = false;
                follow(runner.notConnected(e));
                return;
            } finally {
                asksPool = false;
            }
            Outcome<T> outcome = null;
            try {
                // From here on it cannot be given up: something may be sent.
                if (state.compareAndSet(WAITING, RUNNING)) {
                    outcome = runner.run(connection, step, fallback, this::mayTryAgain);
                }
            } finally {
                giveBack(connection);
            }
            if (outcome != null) {
                follow(outcome);
            }
        }

        private boolean mayTryAgain() {
            return !closed && (tries + 1 < TRIES || environment.nanoTime() - sinceNanos < commandTimeout.toNanos());
        }

        private void giveBack(Connection connection) {
            try {
                source.giveBack(connection);
            } catch (Throwable e) {
                // The step is over: its result does not change.
            }
        }

        private void follow(Outcome<T> outcome) {
            if (outcome.again() && mayTryAgain()) {
                tries++;
                state.set(WAITING);
                // Rivals that collided must not collide again.
                long delay =
                        (long) (environment.random().nextDouble() * (1_000_000L << Math.min(tries, MOST_DOUBLINGS)));
                environment.schedule(delay, () -> enqueue(this));
                return;
            }
            Throwable failure = outcome.failure();
            if (failure instanceof SQLException e) {
                failure = outcome.again() ? errors.rolledBack(e, tries + 1) : errors.whileExecuting(e);
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
}
