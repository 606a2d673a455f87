package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackendNotice;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One client of the store, driven step by step: each method sends one request and waits for its answer. */
final class Client implements Events, AutoCloseable {
    final LockBackend backend;
    private final Bench bench;
    private final Map<Owner, Grant> pushed = new ConcurrentHashMap<>();
    private final Set<String> hinted = ConcurrentHashMap.newKeySet();

    Client(Bench bench, LockBackend backend) {
        this.bench = bench;
        this.backend = backend;
        backend.open(bench.environment(), this);
    }

    // ---- requests

    Answer ask(Claim claim) {
        return answerOf(backend.tryAcquire(claim));
    }

    /** Asks for a lock that has to be free. */
    Grant acquire(Claim claim) {
        Answer answer = ask(claim);
        assertThat(answer).as("the answer to a claim for '%s'", claim.name()).isInstanceOf(Answer.Granted.class);
        return ((Answer.Granted) answer).grant();
    }

    /** Acquires, for tests that need the tenure only. */
    Holding hold(Claim claim) {
        return holding(claim, acquire(claim));
    }

    /** Asks for a lock that has to be taken. */
    Answer.Busy busy(Claim claim) {
        Answer answer = ask(claim);
        assertThat(answer).as("the answer to a claim for '%s'", claim.name()).isInstanceOf(Answer.Busy.class);
        return (Answer.Busy) answer;
    }

    Renewal renew(Holding holding) {
        List<Renewal> answers = renew(List.of(holding));
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    List<Renewal> renew(List<Holding> holdings) {
        return answerOf(backend.renew(holdings));
    }

    boolean release(Holding holding) {
        return answerOf(backend.release(holding));
    }

    Answer releaseAndClaim(Holding holding, Claim next) {
        return answerOf(backend.releaseAndClaim(holding, next));
    }

    void withdraw(Claim claim) {
        answerOf(backend.withdraw(claim.name(), claim.owner()));
    }

    Optional<LockState> describe(String name) {
        return answerOf(backend.describe(name));
    }

    /** Who holds this name; somebody has to. */
    LockState state(String name) {
        return describe(name).orElseThrow(() -> new AssertionError("Nobody holds '" + name + "'"));
    }

    <T extends @Nullable Object> T answerOf(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(bench.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("The backend failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("The backend has not answered for " + bench.patience(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("The test was interrupted: it took too long", e);
        }
    }

    // ---- waiting

    /** The grant for a claim that was answered busy: by push where the store hands over, else by asking again. */
    Grant awaitTurn(Claim claim) {
        return bench.handsOver() ? awaitPush(claim) : askUntilGranted(claim);
    }

    /** Like core, turns a provisional grant into a full one. */
    Grant awaitPush(Claim claim) {
        bench.await("the store hands '" + claim.name() + "' over", () -> pushed.containsKey(claim.owner()));
        Grant grant = Objects.requireNonNull(pushed.get(claim.owner()));
        if (grant.provisional()) {
            assertThat(renew(holding(claim, grant)))
                    .as("the renewal of a provisional grant")
                    .isInstanceOf(Renewal.Renewed.class);
        }
        return grant;
    }

    Grant askUntilGranted(Claim claim) {
        Answer[] last = new Answer[1];
        bench.await("'" + claim.name() + "' is granted", () -> {
            last[0] = ask(claim);
            return last[0] instanceof Answer.Granted;
        });
        return ((Answer.Granted) last[0]).grant();
    }

    boolean wasPushed(Claim claim) {
        return pushed.containsKey(claim.owner());
    }

    boolean wasHinted(String name) {
        return hinted.contains(name);
    }

    static Holding holding(Claim claim, Grant grant) {
        return new Holding(claim.name(), claim.owner(), grant.lastToken(), claim.lease());
    }

    // ---- events

    @Override
    public void granted(String name, Owner owner, Grant grant) {
        pushed.merge(owner, grant, (before, after) -> before);
    }

    @Override
    public void maybeFree(String name) {
        hinted.add(name);
    }

    @Override
    public void lost(String name, Owner owner, String why) {}

    @Override
    public void recheckAll(String why) {}

    @Override
    public void notice(BackendNotice notice) {}

    @Override
    public void close() {
        backend.close();
    }
}
