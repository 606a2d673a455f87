package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keys, and what happens to them. Every change of a key's state is a {@link #step}: decided under the key's lock, acted
 * on after that lock is free, by the thread that brought the news.
 */
final class Engine implements Events {
    final LockBackend backend;
    final Environment environment;
    final Settings settings;
    final BackendCalls calls;
    final Timers timers;
    final Renewals renewals;
    final Releases releases;
    final Withdrawals withdrawals;
    final Reports reports;
    private final UserCode userCode;
    // The lock of a name is the bin lock that compute() takes: decisions are short and do no I/O, and a name that
    // nobody
    // holds or waits for is dropped in the same step.
    private final ConcurrentHashMap<String, NameQueue> names = new ConcurrentHashMap<>();
    // Releases and withdrawals that the backend has not confirmed, and what is still to be done for names that are
    // gone.
    private final AtomicInteger underway = new AtomicInteger();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private volatile boolean closed;
    private volatile boolean abandoned;

    Engine(LockBackend backend, Environment environment, Settings settings, Reports reports, UserCode userCode) {
        this.backend = backend;
        this.environment = environment;
        this.settings = settings;
        this.reports = reports;
        this.userCode = userCode;
        this.calls = new BackendCalls(reports);
        this.timers = new Timers(environment, this::fire);
        this.renewals = new Renewals(this, backend);
        this.withdrawals = new Withdrawals(this, backend, reports);
        this.releases = new Releases(this, backend, reports);
    }

    // ---- the only way a name's state changes

    private void step(String key, Function<NameQueue, Effect> decision) {
        step(key, decision, null);
    }

    private void step(String key, Function<NameQueue, Effect> decision, Renewals.@Nullable Batch batch) {
        Decision decided = new Decision(decision);
        names.compute(key, decided);
        if (batch == null) {
            perform(decided.effect);
        } else {
            perform(decided.effect, batch);
        }
        if (decided.counted) {
            noLongerUnderway();
        } else if (closed) {
            noteIfIdle();
        }
    }

    /** What one effect throws must not keep the next from being performed: it may be somebody else's lease. */
    void perform(Effect effect) {
        try {
            effect.perform(this);
        } catch (Throwable bug) {
            reports.bug(bug);
        }
    }

    /** Renewals that came due together go out together. Their effect is one of two: the alarm is set, and this. */
    private void perform(Effect effect, Renewals.Batch batch) {
        if (effect instanceof Effect.Both both) {
            perform(both.first(), batch);
            perform(both.second(), batch);
        } else if (effect instanceof Effect.Renew renew) {
            batch.add(renew.tenure());
        } else {
            perform(effect);
        }
    }

    /** One object for the decision and for carrying its effect out of compute(). */
    private final class Decision implements BiFunction<String, @Nullable NameQueue, @Nullable NameQueue> {
        private final Function<NameQueue, Effect> decision;
        private Effect effect = Effect.Nothing.NOTHING;
        private boolean counted;

        Decision(Function<NameQueue, Effect> decision) {
            this.decision = decision;
        }

        @Override
        public @Nullable NameQueue apply(String name, @Nullable NameQueue known) {
            NameQueue queue = known == null ? new NameQueue() : known;
            effect = decision.apply(queue);
            if (!queue.isEmpty()) {
                return queue;
            }
            if (effect != Effect.Nothing.NOTHING) {
                // Before the name leaves the map: otherwise close() could find nothing left to wait for, and close the
                // backend before the last release or withdrawal is sent.
                counted = true;
                underway.incrementAndGet();
            }
            return null;
        }
    }

    // ---- callers

    void join(Waiter waiter) {
        requireOpen(waiter.key);
        step(waiter.key, queue -> queue.join(waiter, waiter.sinceNanos));
        if (closed) {
            // close() may have walked past this name before the waiter stood there.
            leave(waiter, Refusal.Kind.CLOSED);
        }
        if (abandoned) {
            // It was granted before it could leave, and close() has walked past that too.
            step(waiter.key, queue -> queue.abandonTenures(now()));
        }
        timers.refresh(waiter);
    }

    void leave(Waiter waiter, Refusal.Kind why) {
        step(waiter.key, queue -> queue.leave(waiter, why, now()));
    }

    void release(TenureLease lease, CompletableFuture<Void> done) {
        step(lease.tenure.key, queue -> queue.release(lease, done, now()));
    }

    // ---- news from the backend

    @Override
    public void granted(String key, Owner owner, Grant grant) {
        step(key, queue -> queue.granted(key, owner, grant, now()));
    }

    @Override
    public void maybeFree(String key) {
        if (names.containsKey(key)) {
            step(key, queue -> queue.maybeFree(now()));
        }
    }

    @Override
    public void lost(String key, Owner owner, String why) {
        step(key, queue -> queue.lost(owner, why, now()));
    }

    @Override
    public void recheckAll(String why) {
        Renewals.Batch batch = renewals.newBatch();
        for (String name : names.keySet()) {
            step(name, queue -> queue.recheck(now()), batch);
        }
        batch.send();
    }

    @Override
    public void notice(BackendNotice notice) {
        reports.notice(notice);
    }

    void renewalAnswered(Tenure tenure, Renewal renewal) {
        step(tenure.key, queue -> queue.renewalAnswered(tenure, renewal, now()));
    }

    // ---- time

    private void fire(List<Alarm> due) {
        Renewals.Batch batch = renewals.newBatch();
        for (Alarm alarm : due) {
            try {
                if (alarm instanceof Tenure tenure) {
                    tenureDue(tenure, batch);
                } else {
                    alarm.fire();
                }
            } catch (Throwable bug) {
                // One broken name must not silence the timers of all others.
                reports.bug(bug);
            }
        }
        batch.send();
    }

    void waiterDue(Waiter waiter) {
        leave(waiter, Refusal.Kind.BUSY);
    }

    void claimDue(LocalClaim claim) {
        step(claim.key, queue -> queue.claimDue(claim, now()));
    }

    void tenureDue(Tenure tenure, Renewals.@Nullable Batch batch) {
        step(tenure.key, queue -> queue.tenureDue(tenure, now()), batch);
    }

    // ---- effects

    void ask(LocalClaim claim) {
        follow(claim, calls.call(() -> backend.tryAcquire(claim.toClaim())));
    }

    private void follow(LocalClaim claim, CompletableFuture<Answer> answer) {
        armWhilePending(claim, answer);
        calls.whenDone(answer, (said, failure) -> onAnswer(claim, said, failure));
    }

    void armWhilePending(LocalClaim claim, CompletableFuture<Answer> answer) {
        if (!answer.isDone()) {
            timers.refresh(claim);
        }
    }

    void onAnswer(LocalClaim claim, @Nullable Answer said, @Nullable Throwable failure) {
        step(claim.key, queue -> {
            if (said != null) {
                return queue.answered(claim, said, now());
            }
            Throwable why = failure == null ? new IllegalStateException("The backend answered null") : failure;
            return queue.failed(claim, why, now());
        });
    }

    void verify(Tenure tenure) {
        calls.whenDone(calls.call(() -> backend.describe(tenure.key)), (holders, failure) -> {
            if (holders != null
                    && holders.stream().noneMatch(each -> each.tenure().isOf(tenure.owner))) {
                lost(tenure.key, tenure.owner, "the backend no longer knows it");
            }
        });
    }

    /** The waiter gets the lease, or the backend gets it back: nothing may be held and renewed for nobody. */
    void deliver(Waiter waiter, TenureLease lease) {
        try {
            timers.refresh(waiter);
            // Renewal and loss detection are set before anybody can see the lease.
            timers.refresh(lease.tenure);
            reports.acquired(lease, lease.sinceNanos - waiter.sinceNanos);
            waiter.deliver(lease);
        } catch (Throwable bug) {
            reports.bug(bug);
            lease.giveBack();
            Refusal refusal = new Refusal(
                    Refusal.Kind.UNAVAILABLE, waiter.key, now() - waiter.sinceNanos, null, null, Alarm.NEVER, bug);
            reports.refused(waiter, refusal);
            waiter.deliver(refusal);
        }
    }

    /** A release has come to an end: a claim that polls must not wait for its next turn. */
    void releaseEnded(String key) {
        if (names.containsKey(key)) {
            step(key, queue -> queue.releaseEnded(now()));
        }
    }

    /** Something was sent, or will be, that close() waits for. */
    void nowUnderway() {
        underway.incrementAndGet();
    }

    void noLongerUnderway() {
        underway.decrementAndGet();
        if (closed) {
            noteIfIdle();
        }
    }

    // ---- reports

    void reportReleased(TenureLease lease) {
        reports.released(lease, environment);
    }

    void reportLoss(TenureLease lease, Loss loss) {
        reports.lost(loss);
        lease.tellLost(loss);
    }

    void warnOfSelfDeadlock(Waiter waiter, TenureLease lease) {
        reports.selfDeadlock(waiter, now() - lease.sinceNanos);
    }

    // ---- small things

    long now() {
        return environment.nanoTime();
    }

    long connectionMark() {
        return backend.connectionMark();
    }

    Owner newOwner(long connectionMark) {
        return Owner.random(environment.random(), connectionMark);
    }

    /** Rivals that failed together must not try again together. */
    long spread(long nanos) {
        return nanos / 2 + (long) (environment.random().nextDouble() * nanos);
    }

    void runUserCode(Runnable code) {
        userCode.run(code);
    }

    /** What a user may chain on: completed where user code may run, and not completable by the user. */
    CompletableFuture<Void> forUser(CompletableFuture<Void> future) {
        return userCode.completeThere(future);
    }

    Activity activity() {
        int[] heldAndWaiting = new int[2];
        for (String name : names.keySet()) {
            names.computeIfPresent(name, (unused, queue) -> {
                heldAndWaiting[0] += queue.held();
                heldAndWaiting[1] += queue.waiting();
                return queue;
            });
        }
        return new Activity(heldAndWaiting[0], heldAndWaiting[1]);
    }

    int size() {
        return names.size();
    }

    /** @param key what is asked for; empty if it is nothing in particular */
    void requireOpen(String key) {
        if (closed) {
            throw new HoldfastClosedException(
                    "This Holdfast is closed: " + (key.isEmpty() ? "it" : LockKey.describe(key))
                            + " cannot be used any more. Nothing is held; create a new Holdfast.",
                    LockKey.nameIn(key));
        }
    }

    // ---- the end

    /** Waiters fail now; holders get the grace period; who still holds after it is told that the lease is lost. */
    void close() {
        closed = true;
        for (String name : names.keySet()) {
            step(name, queue -> queue.closeAll(now()));
        }
        noteIfIdle();
        awaitQuietly(idle, settings.closeGrace().toNanos());
        abandoned = true;
        for (String name : names.keySet()) {
            step(name, queue -> queue.abandonTenures(now()));
        }
        timers.close();
    }

    /** Waits for whatever outcome, at most that long; not at all where time stands still. */
    void awaitQuietly(CompletableFuture<?> future, long limitNanos) {
        if (environment.timePasses()) {
            Blocking.awaitQuietly(future, limitNanos);
        }
    }

    private void noteIfIdle() {
        if (names.isEmpty() && underway.get() == 0) {
            idle.complete(null);
        }
    }
}
