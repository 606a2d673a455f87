package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The in-memory store behind a network: every answer takes its time. Pushed grants do not. */
final class SlowBackend implements LockBackend {
    private final LockBackend store;
    private final Duration delay;
    private Environment environment;

    SlowBackend(LockBackend store, Duration delay) {
        this.store = store;
        this.delay = delay;
    }

    private <T> CompletionStage<T> slowly(CompletionStage<T> answer) {
        CompletableFuture<T> later = new CompletableFuture<>();
        answer.whenComplete((value, failure) -> environment.schedule(delay.toNanos(), () -> {
            if (failure == null) {
                later.complete(value);
            } else {
                later.completeExceptionally(failure);
            }
        }));
        return later;
    }

    @Override
    public void open(Environment opened, Events events) {
        environment = opened;
        store.open(opened, events);
    }

    @Override
    public Duration settling() {
        return store.settling();
    }

    @Override
    public Guarantees guarantees() {
        return store.guarantees();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return slowly(store.tryAcquire(claim));
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return slowly(store.renew(holdings));
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return slowly(store.release(holding));
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return slowly(store.releaseLater(holding, keep));
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return slowly(store.withdraw(key, owner, slots));
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return slowly(store.describe(key));
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return slowly(store.list(prefix, limit));
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return slowly(store.breakLock(key, owner, slot));
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return slowly(store.diagnose());
    }

    @Override
    public void close() {
        store.close();
    }
}
