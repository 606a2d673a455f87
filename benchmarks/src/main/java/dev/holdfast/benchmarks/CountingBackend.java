package dev.holdfast.benchmarks;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockState;
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
import java.util.concurrent.CompletionStage;

/** Counts renewals on their way to another backend. Used by one thread. */
final class CountingBackend implements LockBackend {
    private final LockBackend backend;
    private long requests;
    private long renewals;

    CountingBackend(LockBackend backend) {
        this.backend = backend;
    }

    long requests() {
        return requests;
    }

    long renewals() {
        return renewals;
    }

    void reset() {
        requests = 0;
        renewals = 0;
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        requests++;
        renewals += holdings.size();
        return backend.renew(holdings);
    }

    @Override
    public void open(Environment environment, Events events) {
        backend.open(environment, events);
    }

    @Override
    public Duration settling() {
        return backend.settling();
    }

    @Override
    public Guarantees guarantees() {
        return backend.guarantees();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return backend.tryAcquire(claim);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return backend.release(holding);
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return backend.releaseLater(holding, keep);
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return backend.withdraw(key, owner, slots);
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return backend.describe(key);
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return backend.list(prefix, limit);
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return backend.breakLock(key, owner, slot);
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return backend.diagnose();
    }

    @Override
    public void close() {
        backend.close();
    }
}
