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
import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One client of the store, driven step by step: each method sends one request and waits for its answer. */
final class Client implements Events, AutoCloseable {
    final LockBackend backend;
    private final Bench bench;
    private final Map<Owner, Grant> pushed = new ConcurrentHashMap<>();
    private final Set<String> hinted = ConcurrentHashMap.newKeySet();
    /** How often the backend has said that contact was broken; and of each claim, how often by when it was asked for last. */
    private final AtomicInteger interruptions = new AtomicInteger();

    private final Map<Owner, Integer> asked = new ConcurrentHashMap<>();

    Client(Bench bench, LockBackend backend) {
        this.bench = bench;
        this.backend = backend;
        backend.open(bench.environment(), this);
    }

    // ---- requests

    Answer ask(Claim claim) {
        asked.put(claim.owner(), interruptions.get());
        return answerOf(backend.tryAcquire(claim));
    }

    /** Asks for a lock that has to be free. */
    Grant acquire(Claim claim) {
        Answer answer = ask(claim);
        assertThat(answer).as("the answer to a claim for '%s'", claim.key()).isInstanceOf(Answer.Granted.class);
        return ((Answer.Granted) answer).grant();
    }

    /** Acquires, for tests that need the tenure only. */
    Holding hold(Claim claim) {
        return holding(claim, acquire(claim));
    }

    /** Asks for what has to be free. */
    Held take(Claim claim) {
        return new Held(this, claim, acquire(claim));
    }

    /** Asks for a lock that has to be taken. */
    Answer.Busy busy(Claim claim) {
        Answer answer = ask(claim);
        assertThat(answer).as("the answer to a claim for '%s'", claim.key()).isInstanceOf(Answer.Busy.class);
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
        answerOf(backend.withdraw(claim.key(), claim.owner(), claim.slots()));
    }

    Optional<LockState> describe(String name) {
        return answerOf(backend.describe(name)).stream().findFirst();
    }

    /** Everybody who holds this. */
    List<LockState> holders(String key) {
        return answerOf(backend.describe(key));
    }

    /** Who holds this name; somebody has to. */
    LockState state(String name) {
        return describe(name).orElseThrow(() -> new AssertionError("Nobody holds '" + name + "'"));
    }

    <T extends @Nullable Object> T answerOf(CompletionStage<T> stage) {
        long asked = bench.now();
        try {
            return stage.toCompletableFuture().get(Bench.AS_LONG_AS_IT_TAKES.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("The backend failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("The backend has not answered for " + Bench.AS_LONG_AS_IT_TAKES, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("The test was interrupted: it took too long", e);
        } finally {
            bench.answeredAfter(bench.now() - asked);
        }
    }

    // ---- waiting

    /** The grant for a claim that was answered busy: by push where the store hands over, else by asking again. */
    Grant awaitTurn(Claim claim) {
        return bench.handsOver() ? awaitPush(claim) : askUntilGranted(claim);
    }

    /** Waits for the turn of a claim that was answered busy. */
    Held takeTurn(Claim claim) {
        return new Held(this, claim, awaitTurn(claim));
    }

    /**
     * Like core, turns a provisional grant into a full one, and asks again after contact was broken. Whoever stood still for longer than
     * the store waits for its turn to be taken has lost it, and asks for the next one.
     */
    Grant awaitPush(Claim claim) {
        AtomicReference<Grant> turn = new AtomicReference<>();
        bench.await("the store hands '" + claim.key() + "' over", () -> {
            Grant grant = pushed.get(claim.owner());
            if (grant != null) {
                turn.set(confirmed(claim, grant));
            } else if (lostContactSinceAsked(claim) || (bench.stoodStill() && hinted.remove(claim.key()))) {
                // A push that was lost with the contact, or came too late to be relied on.
                turn.set(askAgain(claim));
            }
            return turn.get() != null;
        });
        return Objects.requireNonNull(turn.get());
    }

    private @Nullable Grant confirmed(Claim claim, Grant grant) {
        if (!grant.provisional()) {
            return grant;
        }
        Renewal renewal = renew(holding(claim, grant));
        if (renewal instanceof Renewal.Gone && bench.now() - grant.validUntilNanos() >= 0) {
            pushed.remove(claim.owner(), grant);
            return askAgain(claim);
        }
        assertThat(renewal).as("the renewal of a provisional grant").isInstanceOf(Renewal.Renewed.class);
        return grant;
    }

    private boolean lostContactSinceAsked(Claim claim) {
        return interruptions.get() != asked.getOrDefault(claim.owner(), 0);
    }

    private @Nullable Grant askAgain(Claim claim) {
        return ask(claim) instanceof Answer.Granted granted ? granted.grant() : null;
    }

    Grant askUntilGranted(Claim claim) {
        return askUntilGranted(claim, bench.patience());
    }

    Grant askUntilGranted(Claim claim, Duration limit) {
        Answer[] last = new Answer[1];
        bench.await("'" + claim.key() + "' is granted", limit, () -> {
            last[0] = ask(claim);
            return last[0] instanceof Answer.Granted;
        });
        return ((Answer.Granted) last[0]).grant();
    }

    /** For a claim that may have to wait for its turn, or not. */
    Held takeSoon(Claim claim) {
        return new Held(this, claim, askUntilGranted(claim));
    }

    boolean wasPushed(Claim claim) {
        return pushed.containsKey(claim.owner());
    }

    /** Whether contact was broken at any time: what was pushed then may not have arrived. */
    boolean lostContact() {
        return interruptions.get() > 0;
    }

    boolean wasHinted(String name) {
        return hinted.contains(name);
    }

    static Holding holding(Claim claim, Grant grant) {
        return new Holding(claim.key(), claim.owner(), grant.lastToken(), claim.lease(), grant.slot(), claim.shared());
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
    public void recheckAll(String why) {
        interruptions.incrementAndGet();
    }

    @Override
    public void notice(BackendNotice notice) {}

    @Override
    public void close() {
        backend.close();
    }
}
