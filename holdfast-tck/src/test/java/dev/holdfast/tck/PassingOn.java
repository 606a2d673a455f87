package dev.holdfast.tck;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Passes everything on to a backend that is right. A subclass does one thing differently, rightly or wrongly. */
class PassingOn implements LockBackend {
    private static final Map<TenureHandle, Owner> OWNERS = new ConcurrentHashMap<>();

    final LockBackend right;

    PassingOn(LockBackend right) {
        this.right = right;
    }

    @Override
    public void open(Environment environment, Events events) {
        right.open(environment, events);
    }

    @Override
    public Duration settling() {
        return right.settling();
    }

    @Override
    public Guarantees guarantees() {
        return right.guarantees();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        OWNERS.put(TenureHandle.of(claim.owner()), claim.owner());
        return right.tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return right.renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return right.release(holding);
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return right.releaseLater(holding, keep);
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return right.withdraw(key, owner, slots);
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return right.describe(key);
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return right.list(prefix, limit);
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return right.breakLock(key, owner, slot);
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return right.diagnose();
    }

    @Override
    public void close() {
        right.close();
    }

    /** A state does not show its owner; but every claim has come through here. */
    static Owner ownerOf(LockState state) {
        return Objects.requireNonNull(OWNERS.get(state.tenure()), "nobody claimed it through PassingOn");
    }

    static int tokensOf(LockState state) {
        return (int) (state.tokens().last().value() - state.tokens().first().value() + 1);
    }

    Optional<LockState> seen(String key) {
        return right.describe(key).toCompletableFuture().join().stream().findFirst();
    }

    List<LockState> holders(String key) {
        return right.describe(key).toCompletableFuture().join();
    }

    boolean isHolder(String key, Owner owner) {
        return holders(key).stream().anyMatch(state -> state.tenure().isOf(owner));
    }

    /** Where this claim is; 0 if it is nowhere. */
    int slotOf(Claim claim) {
        return holders(claim.key()).stream()
                .filter(state -> state.tenure().isOf(claim.owner()))
                .mapToInt(LockState::slot)
                .findFirst()
                .orElse(0);
    }

    static Answer changed(Answer answer, UnaryOperator<Grant> change) {
        return answer instanceof Answer.Granted granted ? new Answer.Granted(change.apply(granted.grant())) : answer;
    }
}
