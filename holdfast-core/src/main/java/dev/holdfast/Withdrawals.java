package dev.holdfast;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Withdrawal;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Takes claims and tenures back that nobody here uses any more: see {@link Withdrawal}. */
final class Withdrawals {
    private final Engine engine;
    private final LockBackend backend;
    private final Reports reports;

    /** A tenure that was closed before its minimum was over. */
    private record Kept(Tenure tenure, long untilNanos) {}

    private final ConcurrentHashMap<Owner, Kept> kept = new ConcurrentHashMap<>();

    Withdrawals(Engine engine, LockBackend backend, Reports reports) {
        this.engine = engine;
        this.backend = backend;
        this.reports = reports;
    }

    /**
     * Takes back whatever the backend has for this owner.
     *
     * @param slots of the claim
     * @param outcomeUnknown whether a request under this owner may still be carried out
     */
    void withdraw(String key, Owner owner, int slots, Duration lease, boolean outcomeUnknown) {
        Kept still = kept.isEmpty() ? null : kept.get(owner);
        if (still != null) {
            // A question from before the grant has its answer only now, or none. The lock is to stay taken all the
            // same.
            keep(still.tenure, still.untilNanos);
            return;
        }
        start(key, lease, outcomeUnknown, () -> backend.withdraw(key, owner, slots));
    }

    /** From now on nothing takes this tenure back, until {@link #noLongerKept}. */
    void keeping(Tenure tenure, long untilNanos) {
        kept.put(tenure.owner, new Kept(tenure, untilNanos));
    }

    /** The minimum is over. */
    void noLongerKept(Tenure tenure) {
        kept.remove(tenure.owner);
    }

    /** Repeats what leaves the lock taken until then; after that it is taken back like any other. */
    void keep(Tenure tenure, long untilNanos) {
        start(tenure.key, tenure.terms.lease(), true, () -> {
            long left = untilNanos - engine.now();
            return left > 0
                    ? backend.releaseLater(tenure.holding(), Duration.ofNanos(left))
                            .thenAccept(kept -> {})
                    : backend.withdraw(tenure.key, tenure.owner, tenure.terms.slotsOrOne());
        });
    }

    /** The engine counts it as underway until it ends. */
    private void start(String key, Duration lease, boolean outcomeUnknown, Supplier<CompletionStage<Void>> attempt) {
        engine.nowUnderway();
        Duration settling = outcomeUnknown ? backend.settling() : Duration.ZERO;
        var unused = new Withdrawal<>(engine.environment, settling, lease, new Repeated(key, attempt)).start();
    }

    private final class Repeated extends Alarm implements Withdrawal.Attempts<Void> {
        private final String key;
        private final Supplier<CompletionStage<Void>> attempt;
        private Runnable next = () -> {};

        Repeated(String key, Supplier<CompletionStage<Void>> attempt) {
            this.key = key;
            this.attempt = attempt;
        }

        @Override
        public CompletionStage<Void> attempt() {
            return engine.calls.call(attempt);
        }

        /** An alarm of ours, and not a task at the environment: it stays queued if the environment fails once. */
        @Override
        public void schedule(long delayNanos, Runnable again) {
            next = again;
            fireAtNanos = engine.now() + delayNanos;
            try {
                engine.timers.refresh(this);
            } catch (Throwable bug) {
                reports.bug(bug);
            }
        }

        @Override
        void fire() {
            next.run();
        }

        @Override
        public void failed(Throwable failure, Duration left) {
            reports.withdrawalFailed(key, failure, left);
        }

        @Override
        public void ended() {
            engine.noLongerUnderway();
        }
    }
}
