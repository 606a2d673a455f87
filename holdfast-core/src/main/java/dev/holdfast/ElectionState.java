package dev.holdfast;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one candidate of an election does, as a state machine. Everything that happens to it (a lease, a refusal, a loss, an alarm, the
 * end of the task, a wish of the user) is a {@link #step}: decided under its lock, acted on after that lock is free, by the thread that
 * brought the news.
 *
 * <p>At most one of these is there at a time: a waiter, a lease that is being confirmed or given back, a task with its lease. So a task
 * is never started beside another one, and nothing is held that is not given back at the end.
 */
final class ElectionState extends Alarm {
    private enum Phase {
        /** Waits for the lock. */
        COMPETING,
        /** Has it, and waits until it is certain for long enough to begin. */
        CONFIRMING,
        /** The task runs. */
        LEADING,
        /** The task was told to stop, and has not ended. */
        STOPPING,
        /** Gives the lock back. */
        RESIGNING,
        /** Waits a moment before it competes again. */
        PAUSING,
        OVER
    }

    /** What is to be done once the lock is free. */
    @FunctionalInterface
    private interface Action {
        Action NOTHING = () -> {};

        void perform();
    }

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    /** Whoever asks now and then does so every second or two. */
    private static final long PAUSE_FOR_POLLING_NANOS = Duration.ofSeconds(3).toNanos();

    private static final int MOST_DOUBLINGS = 7;
    private static final long CONFIRMATION_TICK_NANOS = Duration.ofMillis(5).toNanos();
    private static final long SHORTEST_WATCH_NANOS = Duration.ofMillis(1).toNanos();
    /** How often the log names a task that does not stop. */
    private static final long REMINDER_NANOS = Duration.ofMinutes(1).toNanos();

    final String name;
    private final Engine engine;
    private final Terms terms;
    private final long marginNanos;
    private final LeaderTask.Runner runner;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    // Guards everything below. Nothing is called while it is held but the clock and the random numbers.
    private final ReentrantLock lock = new ReentrantLock();
    private Phase phase = Phase.PAUSING;
    private @Nullable Candidate candidate;
    private @Nullable TenureLease lease;
    private @Nullable LeaderTask task;
    /** When the present phase began. */
    private long sinceNanos;
    /** When the task was started. */
    private long ledSinceNanos;
    /** Until when the lease was certain when it came. */
    private long grantedUntilNanos;
    /** How many leaderships in a row were short, and attempts in vain. */
    private int shortOnes;

    private boolean resigned;
    private boolean closing;

    ElectionState(Engine engine, String name, Terms terms, Duration margin, LeaderTask.Runner runner) {
        this.engine = engine;
        this.name = name;
        this.terms = terms;
        this.marginNanos = margin.toNanos();
        this.runner = runner;
    }

    private void step(Supplier<Action> decision) {
        Action action;
        lock.lock();
        try {
            action = decision.get();
        } finally {
            lock.unlock();
        }
        engine.timers.refresh(this);
        action.perform();
    }

    private void enter(Phase next, long nowNanos) {
        phase = next;
        sinceNanos = nowNanos;
        fireAtNanos = NEVER;
    }

    // ---- what the user wants

    void begin() {
        step(this::compete);
    }

    boolean isLeading() {
        lock.lock();
        try {
            return phase == Phase.LEADING && lease != null && lease.isValid();
        } finally {
            lock.unlock();
        }
    }

    void resign() {
        step(() -> {
            if (phase != Phase.LEADING && phase != Phase.CONFIRMING) {
                return Action.NOTHING;
            }
            resigned = true;
            return phase == Phase.LEADING ? stop("it resigned") : giveBack();
        });
    }

    void close() {
        step(() -> {
            if (closing) {
                return Action.NOTHING;
            }
            closing = true;
            return switch (phase) {
                case COMPETING -> withdraw();
                case CONFIRMING -> giveBack();
                case LEADING -> stop("its candidacy was closed");
                case PAUSING -> end();
                case STOPPING, RESIGNING, OVER -> Action.NOTHING;
            };
        });
    }

    CompletableFuture<Void> over() {
        return over;
    }

    boolean isOnTaskThread() {
        LeaderTask running;
        lock.lock();
        try {
            running = task;
        } finally {
            lock.unlock();
        }
        return running != null && running.isOnItsThread();
    }

    // ---- competing

    private Action compete() {
        if (closing) {
            return end();
        }
        enter(Phase.COMPETING, engine.now());
        resigned = false;
        Candidate fresh = new Candidate();
        candidate = fresh;
        return () -> join(fresh);
    }

    private void join(Candidate joining) {
        try {
            engine.join(joining);
            // Whoever closed this meanwhile found nobody who could leave.
            step(() -> closing && joining == candidate ? withdraw() : Action.NOTHING);
        } catch (HoldfastClosedException closed) {
            step(() -> joining == candidate ? end() : Action.NOTHING);
        } catch (Throwable bug) {
            engine.reports.bug(bug);
            step(() -> joining == candidate ? pauseAfterFailure() : Action.NOTHING);
            engine.leave(joining, Refusal.Kind.CLOSED);
        }
    }

    private Action withdraw() {
        Candidate leaving = candidate;
        // Nothing happens if the lease is on its way: then it is given back when it comes.
        return leaving == null ? Action.NOTHING : () -> engine.leave(leaving, Refusal.Kind.CLOSED);
    }

    private Action refused(Candidate asked, Refusal refusal) {
        if (asked != candidate) {
            return Action.NOTHING;
        }
        if (closing || refusal.kind() == Refusal.Kind.CLOSED) {
            return end();
        }
        HoldfastException why = refusal.toException();
        Action pause = pauseAfterFailure();
        return () -> {
            engine.reports.electionTrouble(
                    name, "Nobody can be elected leader of '" + name + "', trying again: " + why);
            pause.perform();
        };
    }

    private Action won(Candidate asked, TenureLease won) {
        if (asked != candidate) {
            return won::giveBack;
        }
        candidate = null;
        lease = won;
        grantedUntilNanos = won.tenure.validUntilNanos;
        enter(Phase.CONFIRMING, engine.now());
        if (closing) {
            return giveBack();
        }
        Action next = beginWhenConfirmed();
        return () -> {
            // Not on the executor for user code: that may be busy, and the task has to be told now.
            won.onLost((OwnCallback) loss -> step(() -> lost(won, loss)));
            next.perform();
        };
    }

    /**
     * A lock that was handed over is granted for a short time, until the store has our confirmation; and a grant may have been long on
     * its way. The task begins with time enough: otherwise it could not be told in time.
     */
    private Action beginWhenConfirmed() {
        long now = engine.now();
        TenureLease confirming = held();
        long left = confirming.remainingNanos();
        long leaseNanos = terms.lease().toNanos();
        if (left >= Math.max(leaseNanos / 3, marginNanos + leaseNanos / 10)) {
            return lead(now, left);
        }
        if (left > 0 && confirming.tenure.validUntilNanos == grantedUntilNanos) {
            fireAtNanos = now + CONFIRMATION_TICK_NANOS;
            return Action.NOTHING;
        }
        Action giveBack = giveBack();
        return () -> {
            engine.reports.electionTrouble(name, tooShort(left));
            giveBack.perform();
        };
    }

    private String tooShort(long leftNanos) {
        return "Does not begin to lead '" + name + "', and gives the lock back: "
                + (leftNanos == 0
                        ? "the store did not confirm it in time"
                        : "of a lease of " + Texts.of(terms.lease()) + " only " + Texts.ofNanos(leftNanos)
                                + " are certain after a renewal, too short to be told of a loss in time. If this happens every"
                                + " time, use a shorter lease, or configure the store for longer sessions");
    }

    // ---- leading

    private Action lead(long nowNanos, long leftNanos) {
        enter(Phase.LEADING, nowNanos);
        ledSinceNanos = nowNanos;
        watch(nowNanos, leftNanos);
        TenureLease leading = held();
        Ended ended = new Ended();
        LeaderTask fresh;
        try {
            fresh = runner.newTask(leading, ended::with);
        } catch (Throwable noMemory) {
            return giveBack();
        }
        ended.task = fresh;
        task = fresh;
        return () -> {
            engine.reports.election(name, "Leads '" + name + "' with token " + leading.token());
            try {
                fresh.start();
            } catch (Throwable noThread) {
                ended.with(noThread);
            }
        };
    }

    /** Tells which of several tasks has ended. */
    private final class Ended {
        private @Nullable LeaderTask task;

        void with(@Nullable Throwable failure) {
            step(() -> ended(task, failure));
        }
    }

    private void watch(long nowNanos, long leftNanos) {
        fireAtNanos = nowNanos + Math.max(SHORTEST_WATCH_NANOS, leftNanos - marginNanos);
    }

    private Action watched() {
        long left = held().remainingNanos();
        if (left > marginNanos) {
            watch(engine.now(), left);
            return Action.NOTHING;
        }
        return stop("its leadership ends in " + Texts.ofNanos(left) + " unless a renewal succeeds");
    }

    private Action lost(TenureLease gone, Loss loss) {
        if (gone != lease) {
            return Action.NOTHING;
        }
        return switch (phase) {
            case CONFIRMING -> giveBack();
            case LEADING -> stop(loss.toString());
            default -> Action.NOTHING;
        };
    }

    private Action stop(String why) {
        LeaderTask stopping = running();
        enter(Phase.STOPPING, engine.now());
        fireAtNanos = sinceNanos + Math.max(marginNanos, SHORTEST_WATCH_NANOS);
        return () -> {
            stopping.stop();
            engine.reports.election(name, "The task of leader '" + name + "' was told to stop: " + why);
        };
    }

    private Action remind() {
        long now = engine.now();
        fireAtNanos = now + REMINDER_NANOS;
        long told = now - sinceNanos;
        TenureLease led = held();
        LeaderTask stubborn = running();
        return () -> engine.reports.electionTrouble(name, stillRunning(stubborn, led, told));
    }

    void reportIfStillRunning() {
        step(() -> phase == Phase.STOPPING ? remind() : Action.NOTHING);
    }

    private String stillRunning(LeaderTask stubborn, TenureLease led, long toldNanos) {
        return "The task of leader '" + name + "' (token " + led.token() + ", " + stubborn.whereabouts()
                + ") was told to stop " + Texts.ofNanos(toldNanos) + " ago and still runs. "
                + (led.isValid()
                        ? "It keeps the leadership until it ends."
                        : "Its leadership has ended and somebody else may lead: only a resource that checks tokens refuses"
                                + " what it does.")
                + " This process does not compete again before it has ended.";
    }

    private Action ended(@Nullable LeaderTask which, @Nullable Throwable failure) {
        if (which == null || which != task) {
            return Action.NOTHING;
        }
        boolean told = phase == Phase.STOPPING;
        if (engine.now() - ledSinceNanos >= LONGEST_PAUSE_NANOS || resigned) {
            shortOnes = 0;
        }
        task = null;
        Action giveBack = giveBack();
        return () -> {
            if (failure != null && !(told && failure instanceof InterruptedException)) {
                engine.reports.taskThrew(name, failure);
            }
            giveBack.perform();
        };
    }

    // ---- between two leaderships

    private Action giveBack() {
        TenureLease given = held();
        long now = engine.now();
        enter(Phase.RESIGNING, now);
        // A store that does not answer keeps the lock no longer than this.
        fireAtNanos = now + Math.max(SHORTEST_WATCH_NANOS, given.tenure.validUntilNanos - now);
        return () -> {
            var unused = given.release().whenComplete((nothing, failure) -> step(() -> gaveBack(given)));
        };
    }

    private Action gaveBack(TenureLease given) {
        if (phase != Phase.RESIGNING || given != lease) {
            return Action.NOTHING;
        }
        lease = null;
        if (closing) {
            return end();
        }
        return resigned ? pauseAfterResigning() : pauseAfterFailure();
    }

    /** Where waiters stand in a line the next one has the lock already. Elsewhere it asks now and then, and must be first. */
    private Action pauseAfterResigning() {
        return pause(engine.backend.guarantees().fair() ? FIRST_PAUSE_NANOS : PAUSE_FOR_POLLING_NANOS);
    }

    private Action pauseAfterFailure() {
        long nanos = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(shortOnes, MOST_DOUBLINGS));
        shortOnes++;
        return pause(engine.spread(nanos));
    }

    private Action pause(long nanos) {
        if (closing) {
            return end();
        }
        candidate = null;
        enter(Phase.PAUSING, engine.now());
        fireAtNanos = sinceNanos + nanos;
        return Action.NOTHING;
    }

    private Action end() {
        candidate = null;
        enter(Phase.OVER, engine.now());
        return () -> over.complete(null);
    }

    // ---- small things

    @Override
    void fire() {
        step(() -> {
            if (fireAtNanos == NEVER || fireAtNanos - engine.now() > 0) {
                return Action.NOTHING;
            }
            return switch (phase) {
                case CONFIRMING -> beginWhenConfirmed();
                case LEADING -> watched();
                case STOPPING -> remind();
                case RESIGNING -> gaveBack(held());
                case PAUSING -> compete();
                case COMPETING, OVER -> Action.NOTHING;
            };
        });
    }

    private TenureLease held() {
        TenureLease held = lease;
        if (held == null) {
            throw new IllegalStateException("Nothing is held while " + phase);
        }
        return held;
    }

    private LeaderTask running() {
        LeaderTask running = task;
        if (running == null) {
            throw new IllegalStateException("No task runs while " + phase);
        }
        return running;
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return phase.name().toLowerCase(Locale.ROOT);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the lock, without a limit. */
    private final class Candidate extends Waiter {
        Candidate() {
            super(ElectionState.this.engine, ElectionState.this.name, ElectionState.this.terms, NEVER, null);
        }

        @Override
        void deliver(TenureLease won) {
            step(() -> won(this, won));
        }

        @Override
        void deliver(Refusal refusal) {
            step(() -> refused(this, refusal));
        }
    }
}
