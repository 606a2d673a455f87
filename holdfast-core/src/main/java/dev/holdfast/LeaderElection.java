package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An election: of all processes that take part under this name, at most one leads. Immutable and cheap; each option returns another
 * election and leaves this one as it is. Taking part begins with {@link #start}. Safe for use by many threads.
 *
 * <pre>{@code
 * try (Candidacy candidacy = holdfast.election("scheduler").start(lease -> {
 *     while (!Thread.currentThread().isInterrupted()) {
 *         scheduler.runNextJob(lease.token());
 *     }
 * })) {
 *     server.awaitShutdown();
 * }
 * }</pre>
 *
 * <p>The leader is who holds the lock of that name: {@code holdfast.lock("scheduler")} excludes it, and whoever breaks that lock
 * ends its leadership.
 */
public final class LeaderElection {
    private final Holdfast holdfast;
    private final Engine engine;
    private final String name;
    private final Terms terms;
    private final @Nullable Duration stopMargin;

    LeaderElection(Holdfast holdfast, Engine engine, String name, Terms terms, @Nullable Duration stopMargin) {
        this.holdfast = holdfast;
        this.engine = engine;
        this.name = name;
        this.terms = terms;
        this.stopMargin = stopMargin;
    }

    /** The name, as given. */
    public String name() {
        return name;
    }

    /**
     * How long nobody leads, at most, after the leader's process has died. Leadership is renewed every third of this time.
     *
     * @throws IllegalArgumentException if it is shorter than 10 ms or longer than the longest accepted
     */
    @CheckReturnValue
    public LeaderElection withLease(Duration lease) {
        Durations.requireLease(lease, engine.settings.maxLease());
        return new LeaderElection(holdfast, engine, name, terms.withLease(lease), stopMargin);
    }

    /**
     * How long before its leadership could end the task is told to stop, if no renewal succeeds; a sixth of the lease unless set.
     * The task has that much time to finish before a rival can lead. Longer: more time, and leadership is given up after a shorter
     * outage of the store. At most half of the lease.
     */
    @CheckReturnValue
    public LeaderElection stopMargin(Duration margin) {
        Durations.requirePositive(margin, "stopMargin");
        return new LeaderElection(holdfast, engine, name, terms, margin);
    }

    /** A text for operators that says who this candidate is. At most 200 characters, no control characters. */
    @CheckReturnValue
    public LeaderElection describedAs(String description) {
        return new LeaderElection(
                holdfast, engine, name, terms.describedAs(Holdfast.requireDescription(description)), stopMargin);
    }

    /**
     * Who leads, as the store sees it; empty if nobody does at the moment. Blocks until the store has answered. Also for those who
     * do not take part.
     *
     * @throws LockUnavailableException if there was no answer
     */
    @CheckReturnValue
    public Optional<LockState> leader() throws InterruptedException {
        return holdfast.inspect(name);
    }

    /**
     * Takes part: competes for the leadership, runs the task each time it has won, and competes again when the task has ended, for
     * whatever reason, until the candidacy is closed. Does not block.
     *
     * <p>The task runs on a thread of its own, with the lease of its leadership; hand the lease's token to the resource. It is
     * interrupted when it has to stop: {@link #stopMargin} before the leadership could end, at once if the leadership is lost
     * without warning, and if this candidacy resigns or is closed. It should return soon after that. While it has not ended,
     * nothing else is started in its place. When it returns or throws, the leadership is given back. Do not close the lease in the
     * task; return instead.
     *
     * @param task must react to interruption
     * @throws IllegalArgumentException if the margin is longer than half of the lease
     * @throws HoldfastClosedException if the Holdfast is closed
     */
    @CheckReturnValue
    public Candidacy start(CriticalAction<? extends Exception> task) {
        Objects.requireNonNull(task, "task");
        Duration margin = stopMargin == null ? terms.lease().dividedBy(6) : stopMargin;
        if (margin.compareTo(terms.lease().dividedBy(2)) > 0) {
            throw new IllegalArgumentException(
                    "A stopMargin of " + Texts.of(margin) + " is longer than half of the lease of "
                            + Texts.of(terms.lease())
                            + ": leadership is renewed when a third of the lease is over, and would be given up before that.");
        }
        ElectionState state = new ElectionState(
                engine,
                name,
                terms,
                margin,
                LeaderThread.runner(name, task, Thread.currentThread().getContextClassLoader()));
        holdfast.takePart(state);
        return new Candidacy(engine, state);
    }

    @Override
    public String toString() {
        return "LeaderElection '" + name + "'";
    }
}
