package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names, and what happens to them. Every change of a name's state is a {@link #step}: decided under the name's lock, acted
 * on after that lock is free, by the thread that brought the news.
 */
final class Engine implements Events {
    final LockBackend backend;
    final Environment environment;
    final Settings settings;
    final Timers timers;
    final Renewals renewals;
    private final Reports reports;
    private final UserCode userCode;
    // The lock of a name is the bin lock that compute() takes: decisions are short and do no I/O, and a name that
    // nobody
    // holds or waits for is dropped in the same step.
    private final ConcurrentHashMap<String, NameQueue> names = new ConcurrentHashMap<>();
    // Releases and retreats that the backend has not confirmed, and what is still to be done for names that are gone.
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
        this.timers = new Timers(environment, this::ring);
        this.renewals = new Renewals(this, backend);
    }

    // ---- the only way a name's state changes

    private void step(String name, Function<NameQueue, Effect> decision) {
        step(name, decision, null);
    }

    private void step(String name, Function<NameQueue, Effect> decision, Renewals.@Nullable Batch batch) {
        Decision decided = new Decision(decision);
        names.compute(name, decided);
        decided.effect.perform(this, batch);
        if (decided.counted) {
            noLongerUnderway();
        } else if (closed) {
            noteIfIdle();
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
        requireOpen(waiter.name);
        step(waiter.name, queue -> queue.join(waiter, waiter.sinceNanos));
        if (closed) {
            // close() may have walked past this name before the waiter stood there.
            leave(waiter, Refusal.Kind.CLOSED);
        }
        if (abandoned) {
            // It was granted before it could leave, and close() has walked past that too.
            step(waiter.name, queue -> queue.abandonTenure(now()));
        }
        timers.refresh(waiter);
    }

    void leave(Waiter waiter, Refusal.Kind why) {
        step(waiter.name, queue -> queue.leave(waiter, why, now()));
    }

    void release(TenureLease lease, CompletableFuture<Void> done) {
        step(lease.name(), queue -> queue.release(lease, done, now()));
    }

    // ---- news from the backend

    @Override
    public void granted(String name, Owner owner, Grant grant) {
        step(name, queue -> queue.granted(name, owner, grant, now()));
    }

    @Override
    public void maybeFree(String name) {
        if (names.containsKey(name)) {
            step(name, queue -> queue.maybeFree(now()));
        }
    }

    @Override
    public void lost(String name, Owner owner, String why) {
        step(name, queue -> queue.lost(owner, why, now()));
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
    public void disturbed(String where, String what) {
        reports.disturbed(where, what);
    }

    void renewalAnswered(Tenure tenure, Renewal renewal) {
        step(tenure.name, queue -> queue.renewalAnswered(tenure, renewal, now()));
    }

    // ---- time

    private void ring(List<Alarm> due) {
        Renewals.Batch batch = renewals.newBatch();
        for (Alarm alarm : due) {
            try {
                alarm.ring(batch);
            } catch (RuntimeException | Error bug) {
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
        step(claim.name, queue -> queue.claimDue(claim, now()));
    }

    void tenureDue(Tenure tenure, Renewals.Batch batch) {
        step(tenure.name, queue -> queue.tenureDue(tenure, now()), batch);
    }

    // ---- effects

    void ask(LocalClaim claim) {
        follow(claim, call(() -> backend.tryAcquire(claim.toClaim())));
    }

    private void follow(LocalClaim claim, CompletableFuture<Answer> answer) {
        armWhilePending(claim, answer);
        whenDone(answer, (said, failure) -> heed(claim, said, failure));
    }

    private void armWhilePending(LocalClaim claim, CompletableFuture<Answer> answer) {
        if (!answer.isDone()) {
            timers.refresh(claim);
        }
    }

    private void heed(LocalClaim claim, @Nullable Answer said, @Nullable Throwable failure) {
        step(claim.name, queue -> {
            if (said != null) {
                return queue.answered(claim, said, now());
            }
            Throwable why = failure == null ? new IllegalStateException("The backend answered null") : failure;
            return queue.failed(claim, why, now());
        });
    }

    void verify(Tenure tenure) {
        whenDone(call(() -> backend.describe(tenure.name)), (state, failure) -> {
            if (state != null
                    && state.filter(s -> s.owner().equals(tenure.owner)).isEmpty()) {
                lost(tenure.name, tenure.owner, "the backend no longer knows it");
            }
        });
    }

    void deliver(Waiter waiter, TenureLease lease) {
        timers.refresh(waiter);
        // Renewal and loss detection are set before anybody can see the lease.
        timers.refresh(lease.tenure);
        reports.acquired(lease, lease.sinceNanos - waiter.sinceNanos);
        waiter.deliver(lease);
    }

    /** The release of a tenure is complete when the backend has confirmed it; until then close() waits for it. */
    void giveBack(TenureLease last, @Nullable LocalClaim next, @Nullable CompletableFuture<Void> done) {
        Tenure tenure = last.tenure;
        // Before the release is sent: a renewal must never follow it.
        timers.refresh(tenure);
        underway.incrementAndGet();
        if (next == null) {
            whenDone(call(() -> backend.release(tenure.holding())), (said, failure) -> released(last, failure, done));
            return;
        }
        CompletableFuture<Answer> answer = call(() -> backend.releaseAndClaim(tenure.holding(), next.toClaim()));
        armWhilePending(next, answer);
        whenDone(answer, (said, failure) -> {
            // First what it says of the claim: the end of a release makes a claim that is not queued ask again.
            heed(next, said, failure);
            released(last, failure, done);
        });
    }

    private void released(TenureLease last, @Nullable Throwable failure, @Nullable CompletableFuture<Void> done) {
        Tenure tenure = last.tenure;
        if (failure != null) {
            reports.releaseUnconfirmed(tenure.name, failure);
            retreat(tenure.name, tenure.owner, tenure.terms.lease(), true);
        }
        if (last.ended == TenureLease.RELEASED) {
            reportReleased(last);
        }
        if (done != null) {
            confirm(done, tenure, failure);
        }
        if (names.containsKey(tenure.name)) {
            step(tenure.name, queue -> queue.releaseEnded(now()));
        }
        noLongerUnderway();
    }

    private static void confirm(CompletableFuture<Void> done, Tenure tenure, @Nullable Throwable failure) {
        if (failure == null) {
            done.complete(null);
            return;
        }
        String message = "The release of '" + tenure.name + "' is not confirmed: " + failure.getMessage()
                + ". It is repeated in the background; at the latest the lock expires by itself after "
                + Texts.of(tenure.terms.lease()) + ".";
        done.completeExceptionally(new LockUnavailableException(message, failure));
    }

    void retreat(String name, Owner owner, Duration lease, boolean outcomeUnknown) {
        underway.incrementAndGet();
        new Retreat(this, name, owner, lease, outcomeUnknown).start();
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

    void reportRenewalFailure(Tenure tenure, Throwable cause) {
        reports.renewalFailed(tenure, cause);
    }

    void warnOfSelfDeadlock(Waiter waiter, TenureLease lease) {
        reports.selfDeadlock(waiter, now() - lease.sinceNanos);
    }

    // ---- calling the backend

    /** Backends must not throw; one that does is treated as if its stage had failed. */
    <T> CompletableFuture<T> call(Supplier<CompletionStage<T>> call) {
        try {
            return call.get().toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** As whenComplete, but an exception of the action is seen instead of vanishing in a stage that nobody keeps. */
    <T> void whenDone(CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
        // A store in memory has answered by now. No stage has to carry that, and no time to be spent on one.
        if (future.isDone() && !future.isCompletedExceptionally()) {
            safely(action, future.join(), null);
            return;
        }
        var unused = future.whenComplete(
                (value, failure) -> safely(action, value, failure == null ? null : Blocking.unwrap(failure)));
    }

    private <T> void safely(
            BiConsumer<@Nullable T, @Nullable Throwable> action, @Nullable T value, @Nullable Throwable failure) {
        try {
            action.accept(value, failure);
        } catch (RuntimeException | Error bug) {
            reports.bug(bug);
        }
    }

    // ---- small things

    long now() {
        return environment.nanoTime();
    }

    Owner newOwner() {
        return Owner.random(environment.random());
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

    int size() {
        return names.size();
    }

    void requireOpen(String name) {
        if (closed) {
            throw new HoldfastClosedException("This Holdfast is closed: lock '" + name
                    + "' cannot be acquired through it. Nothing is held; create a new Holdfast.");
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
        Blocking.awaitQuietly(idle, settings.closeGrace().toNanos());
        abandoned = true;
        for (String name : names.keySet()) {
            step(name, queue -> queue.abandonTenure(now()));
        }
        timers.close();
    }

    private void noteIfIdle() {
        if (names.isEmpty() && underway.get() == 0) {
            idle.complete(null);
        }
    }
}
